// Conversation to prompt ids and sampled ids to message: the only place where text and tokens meet in a rollout.
// Invariant: what `extend` returns starts with the ids that were seen; what the policy sampled is never tokenised again.
import { type AssistantMessage, type Finish, HoneError, type Message, type SeenTokens, sha256Hex } from "@hone/core";
import { findBridge } from "./bridge.ts";
import type { ChatTemplate } from "./chat-template.ts";
import { createGuardedTemplate } from "./guarded-template.ts";
import { reasoningTags, splitReasoning } from "./reasoning.ts";
import { findSpans, type Span } from "./spans.ts";
import { findStopTokens } from "./stop-tokens.ts";
import type { RenderOptions } from "./template-variables.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { detectToolCallFormat, toolCallFormat, type ToolCallFormatName } from "./tool-calls/format.ts";

export interface Renderer {
  /** Ids that end a reply. */
  readonly stopTokens: readonly number[];
  /** The whole conversation from its messages: at the start, and when history was edited. */
  render(messages: readonly Message[], options?: RenderOptions): Rendered;
  /** `seen.ids` and what comes after them: the end of the reply if it was cut off, the messages from `seen.messages` on, an opened turn. */
  extend(seen: SeenTokens, messages: readonly Message[], options?: RenderOptions): Rendered;
  /** The message in sampled ids, the stop token included or not. Never throws. */
  parse(ids: Int32Array, options?: ParseOptions): ParsedReply;
  /** Which ids of `render(messages, options)` belong to which message. */
  spans(messages: readonly Message[], options?: RenderOptions): readonly Span[];
}

export interface Rendered {
  readonly ids: Int32Array;
  /** "rendered" starts a new branch: the ids need not start with what was seen before. */
  readonly how: "rendered" | "extended";
  /** Why `extend` had to render. */
  readonly reason?: string;
}

export interface ParseOptions {
  /** What the reply was sampled after: tells whether it starts inside a reasoning block, and makes call ids differ between turns. */
  readonly prompt?: Int32Array;
  /** False when no tools were offered: then nothing is read as a call. */
  readonly hasTools?: boolean;
}

export interface ParsedReply {
  readonly message: AssistantMessage;
  /** "length" when no stop token ended it; the sampler knows better when a stop string did. */
  readonly finish: Finish;
  readonly stopToken?: number;
}

export interface RendererOptions {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate | undefined;
  /** How tool calls are written. Unless given, it is read off the template. */
  readonly format?: ToolCallFormatName;
  /** Ids that end a reply, besides the one the template writes after it. */
  readonly stopTokens?: readonly number[];
}

export function createRenderer(options: RendererOptions): Renderer {
  const { tokenizer, template } = options;
  if (template === undefined) {
    throw new HoneError("this model comes without a chat template", {
      code: "chat-template",
      hint: "Give one, for example createChatTemplate(chatmlTemplate); its control tokens must be in the vocabulary.",
    });
  }
  const guarded = createGuardedTemplate(tokenizer, template);
  const stopTokens = findStopTokens(guarded, options.stopTokens ?? []);
  const stops = new Set(stopTokens);
  const format = toolCallFormat(options.format ?? detectToolCallFormat(template.source));

  const render = (messages: readonly Message[], renderOptions: RenderOptions = {}): Rendered => ({
    ids: guarded.encode(guarded.write(messages, renderOptions)),
    how: "rendered",
  });
  return {
    stopTokens,
    render,
    extend: (seen, messages, renderOptions = {}) => {
      const bridge = findBridge({
        template: guarded,
        stopTokens: stops,
        messages,
        seen: seen.messages,
        options: renderOptions,
      });
      if ("reason" in bridge) return { ...render(messages, renderOptions), reason: bridge.reason };
      const { before, from, endOfTurn } = bridge;
      const last = seen.ids.at(-1) ?? -1;
      const isEnded = stops.has(last);
      const tail = guarded.encodeAfter(isEnded ? from : { ...from, text: before + from.text });
      // The sampled stop token stands in place of the template's, also when it is another one.
      const after = isEnded && (endOfTurn !== undefined || tail[0] === last) ? tail.subarray(1) : tail;
      const ids = new Int32Array(seen.ids.length + after.length);
      ids.set(seen.ids);
      ids.set(after, seen.ids.length);
      return { ids, how: "extended" };
    },
    parse: (ids, { prompt = new Int32Array(), hasTools = true } = {}) => {
      const last = ids.at(-1);
      const stopToken = last !== undefined && stops.has(last) ? last : undefined;
      const text = tokenizer.decode(stopToken === undefined ? ids : ids.subarray(0, -1));
      const { reasoning, content } = splitReasoning(text, isThinking(tokenizer, prompt));
      const found = hasTools ? format.parse(content) : { content, calls: [] };
      const toolCalls = found.calls.map((call, index) => ({
        id: callId(`${prompt.length} ${index} ${call.name} ${call.arguments}`),
        ...call,
      }));
      return {
        message: {
          role: "assistant",
          content: found.content,
          ...(reasoning === undefined ? {} : { reasoning }),
          ...(toolCalls.length === 0 ? {} : { toolCalls }),
        },
        finish: stopToken === undefined ? "length" : toolCalls.length > 0 ? "tool-calls" : "stop",
        ...(stopToken === undefined ? {} : { stopToken }),
      };
    },
    spans: (messages, renderOptions = {}) => findSpans({ template: guarded, stops, messages, options: renderOptions }),
  };
}

function isThinking(tokenizer: Tokenizer, prompt: Int32Array): boolean {
  return tokenizer.decode(prompt.subarray(-16)).trimEnd().endsWith(reasoningTags.open);
}

/** Nine letters and digits, which is what the strictest templates ask for; the same for the same reply. */
function callId(key: string): string {
  return sha256Hex(key).slice(0, 9);
}
