// A chat template: messages to text. One template, or several by name as some models ship them ("default", "tool_use").
// Rendering is a pure function of its arguments: the date is an argument too.
import { HoneError, type JsonObject, type Message } from "@hone/core";
import { compileJinja, type JinjaProgram } from "./jinja.ts";
import { hasImages, noPlaceForImages, type RenderOptions, templateVariables } from "./template-variables.ts";

export interface ChatTemplate {
  /** All its text, for detecting formats. */
  readonly source: string;
  render(messages: readonly Message[], options?: RenderOptions): string;
  /** With the variables as the template names them; `render` prepares these. */
  run(variables: JsonObject, now?: Date): string;
}

export interface ChatTemplateOptions {
  /** bos_token, eos_token and so on: variables that every template may use. */
  readonly specialTokens?: Readonly<Record<string, string>>;
}

/** The date Llama's own template falls back to. */
const stillClock = Date.UTC(2024, 6, 26);

export function createChatTemplate(
  source: string | Readonly<Record<string, string>>,
  options: ChatTemplateOptions = {},
): ChatTemplate {
  const sources = typeof source === "string" ? { default: source } : source;
  const programs = new Map(Object.entries(sources).map(([name, text]) => [name, compileJinja(text)]));
  const [first] = programs.values();
  if (first === undefined) {
    throw new HoneError("a chat template without any text", { code: "chat-template", hint: "Give at least one." });
  }
  const choose = (variables: JsonObject): JinjaProgram => {
    const hasTools = Array.isArray(variables["tools"]) && variables["tools"].length > 0;
    return (hasTools ? programs.get("tool_use") : undefined) ?? programs.get("default") ?? first;
  };
  const template: ChatTemplate = {
    source: Object.values(sources).join("\n"),
    render: (messages, options) => {
      checkImages(template, messages);
      return template.run(templateVariables(messages, options), options?.now);
    },
    run: (variables, now = new Date(stillClock)) => choose(variables)({ ...options.specialTokens, ...variables }, now),
  };
  return template;
}

/** Refused before rendering, because a template without images would print the list of parts as it is. */
export function checkImages(template: ChatTemplate, messages: readonly Message[]): void {
  if (hasImages(messages) && !template.source.includes("image")) throw noPlaceForImages();
}

/**
 * A template for models that come without one, with Hermes tool calls. Its control tokens are <|im_start|> and <|im_end|>.
 * It never rewrites earlier turns: rendering turn by turn gives what rendering at once gives.
 */
export const chatmlTemplate: string = [
  "{%- for message in messages %}",
  "{{- '<|im_start|>' + message.role + '\\n' }}",
  "{%- if loop.first and tools %}",
  '{{- \'# Tools\\n\\nCall a function by writing <tool_call>{"name": ..., "arguments": {...}}</tool_call>.\\n\' }}',
  "{%- for tool in tools %}{{- tool.function | tojson + '\\n' }}{%- endfor %}",
  "{{- '\\n' }}",
  "{%- endif %}",
  "{%- if message.reasoning_content %}{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}",
  "{{- message.content }}",
  "{%- for call in message.tool_calls or [] %}",
  "{%- if message.content or not loop.first %}{{- '\\n' }}{%- endif %}",
  "{{- '<tool_call>\\n' + ({'name': call.function.name, 'arguments': call.function.arguments} | tojson) + '\\n</tool_call>' }}",
  "{%- endfor %}",
  "{{- '<|im_end|>\\n' }}",
  "{%- endfor %}",
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join("\n");
