// Engine x tokens to Model: the policy being trained, behind the interface that environments call. Messages become ids by the renderer,
// and what was seen before is extended, never rendered again; sampled ids become a message and stay beside it, with their logprobs.
import {
  type CallOptions,
  type Completion,
  type EngineInfo,
  type Finish,
  type GeneratedSequence,
  type Model,
  ModelError,
  type ModelRequest,
  type Sampler,
  type Sampling,
  seedFrom,
  type TokenSampling,
} from "@hone/core";
import type { Rendered, Renderer, RenderOptions } from "@hone/tokens";
import { isObject, optional } from "./wire.ts";

export interface PolicyModelOptions {
  readonly name: string;
  readonly sampler: Sampler;
  readonly renderer: Renderer;
  /** The engine's: how long a conversation may become. */
  readonly info: Pick<EngineInfo, "contextTokens">;
  /** Told why a conversation that was seen before could not be extended and starts a branch. */
  readonly onBranch?: (reason: string) => void;
}

export function policyModel({ name, sampler, renderer, info, onBranch }: PolicyModelOptions): Model {
  return {
    name,
    async complete(request: ModelRequest, { signal }: CallOptions): Promise<Completion> {
      signal.throwIfAborted();
      const sampling = request.sampling ?? {};
      const prompt = promptOf(request, renderer, onBranch);
      const room = info.contextTokens - prompt.length;
      if (room <= 0) {
        throw new ModelError(`the prompt has ${prompt.length} tokens, the context of ${name} ${info.contextTokens}`, {
          code: "context-length",
        });
      }
      const generation = await sampler.generate(
        { prompt, count: 1, sampling: tokenSampling(request, sampling, room, renderer.stopTokens) },
        { signal },
      );
      const [sequence] = generation.sequences;
      if (sequence === undefined) throw new ModelError(`${name} sampled nothing`, { code: "invalid-response" });
      return completionOf({ sequence, prompt, request, renderer });
    },
  };
}

function promptOf(
  request: ModelRequest,
  renderer: Renderer,
  onBranch: ((reason: string) => void) | undefined,
): Int32Array {
  const { messages, tools, seen, sampling } = request;
  const options: RenderOptions = {
    addGenerationPrompt: true,
    ...optional("tools", tools),
    ...templateVariables(sampling?.extra),
  };
  const rendered: Rendered =
    seen === undefined ? renderer.render(messages, options) : renderer.extend(seen, messages, options);
  if (seen !== undefined && rendered.how === "rendered") onBranch?.(rendered.reason ?? "history was edited");
  return rendered.ids;
}

/** `chat_template_kwargs` is what vLLM calls the variables of a template; an engine takes no other field of a request body. */
function templateVariables(extra: Sampling["extra"]): Pick<RenderOptions, "variables"> {
  const { chat_template_kwargs: variables, ...others } = extra ?? {};
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw unsupported(unknown.map((field) => `extra.${field}`));
  return isObject(variables) ? { variables } : {};
}

function tokenSampling(
  request: ModelRequest,
  sampling: Sampling,
  room: number,
  stopTokens: readonly number[],
): TokenSampling {
  const refused = (["presencePenalty", "frequencyPenalty", "reasoningEffort"] as const).filter(
    (field) => sampling[field] !== undefined,
  );
  if (refused.length > 0) throw unsupported(refused);
  const { session, messages } = request;
  return {
    maxTokens: Math.min(sampling.maxTokens ?? room, room),
    temperature: sampling.temperature ?? 1,
    // Without a seed the noise still depends on who asks, not on when.
    seed: sampling.seed ?? seedFrom(session?.rollout ?? "", session?.agent ?? "", messages.length),
    stopTokens,
    ...optional("stopStrings", sampling.stop),
    ...optional("topP", sampling.topP),
    ...optional("topK", sampling.topK),
    ...optional("minP", sampling.minP),
  };
}

function unsupported(fields: readonly string[]): ModelError {
  return new ModelError(`an engine does not take ${fields.join(", ")}`, {
    code: "bad-request",
    hint: "Leave it out of [sampling]; variables of the chat template go into extra.chat_template_kwargs.",
  });
}

interface Sampled {
  readonly sequence: GeneratedSequence;
  readonly prompt: Int32Array;
  readonly request: ModelRequest;
  readonly renderer: Renderer;
}

function completionOf({ sequence, prompt, request, renderer }: Sampled): Completion {
  const { ids, logprobs, policyVersion } = sequence;
  const { message, stopToken } = renderer.parse(ids, { prompt, hasTools: (request.tools ?? []).length > 0 });
  const stops = request.sampling?.stop ?? [];
  // A stop text belongs to the sampled ids and not to what was said, as servers have it.
  const isCut = sequence.finish === "stop" && stopToken === undefined && message.toolCalls === undefined;
  const finish: Finish =
    sequence.finish === "length" ? "length" : message.toolCalls === undefined ? "stop" : "tool-calls";
  return {
    message: isCut ? { ...message, content: beforeAny(message.content, stops) } : message,
    finish,
    usage: { inputTokens: prompt.length, outputTokens: ids.length },
    tokens: { prompt, ids, logprobs, policyVersion },
  };
}

function beforeAny(text: string, stops: readonly string[]): string {
  const found = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
  return found.length === 0 ? text : text.slice(0, Math.min(...found));
}
