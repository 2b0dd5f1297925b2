// The scripted model: deterministic and offline. Tests, examples and the command line use it wherever a model is called.
// It says what its script says and nothing else: maxTokens and stop texts are the script's business.
import type { Awaitable, CallOptions, Json } from "../data.ts";
import { ModelError, type ModelErrorOptions } from "../errors.ts";
import type { AssistantMessage } from "../message.ts";
import type { Completion, Finish, Model, ModelRequest } from "../model.ts";
import { createRandom, type Random } from "../random.ts";
import { runsOf } from "../runs.ts";
import { encodeByteReply, renderBytePrompt } from "./byte-tokens.ts";

export interface ScriptedReply {
  readonly content?: string;
  readonly reasoning?: string;
  /** Arguments given as a string are sent as they are, so that they may be malformed. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Json | string }[];
  /** "tool-calls" where it calls tools, else "stop". */
  readonly finish?: Finish;
  readonly delayMs?: number;
  /** Instead of a reply, after the delay. */
  readonly fail?: ModelErrorOptions & { readonly message: string };
}

export type Script = (request: ModelRequest, turn: ScriptTurn) => Awaitable<string | ScriptedReply>;

export interface ScriptTurn {
  /** Assistant messages so far. */
  readonly index: number;
  /** From `sampling.seed` (0 without one) and the index: the same request gets the same numbers. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

export interface ScriptedModelOptions {
  readonly name?: string;
  /** Whether replies carry token ids and logprobs, as a policy's do. True unless told. */
  readonly tokens?: boolean;
  readonly policyVersion?: number;
}

/** A list is answered by turn: its first entry replies to a conversation without assistant messages. */
export function scriptedModel(
  script: Script | readonly (string | ScriptedReply)[],
  options: ScriptedModelOptions = {},
): Model {
  const { name = "scripted", tokens = true, policyVersion = 0 } = options;
  const answer = typeof script === "function" ? script : listScript(script);
  return {
    name,
    async complete(request: ModelRequest, { signal }: CallOptions): Promise<Completion> {
      signal.throwIfAborted();
      const turn = turnOf(request, signal);
      const said = await answer(request, turn);
      const reply = typeof said === "string" ? { content: said } : said;
      if (reply.delayMs !== undefined) await sleep(reply.delayMs, signal);
      signal.throwIfAborted();
      if (reply.fail !== undefined) throw new ModelError(reply.fail.message, reply.fail);
      const message = messageOf(reply, turn.index);
      const finish = reply.finish ?? (message.toolCalls === undefined ? "stop" : "tool-calls");
      const prompt = renderBytePrompt(request.messages, request.seen);
      const ids = encodeByteReply(message, { isCut: finish === "length" });
      const usage = { inputTokens: prompt.length, outputTokens: ids.length };
      if (!tokens) return { message, finish, usage };
      const versions = runsOf(policyVersion, ids.length);
      return { message, finish, usage, tokens: { prompt, ids, logprobs: logprobsOf(ids), policyVersion: versions } };
    },
  };
}

function listScript(replies: readonly (string | ScriptedReply)[]): Script {
  return (_request, { index }) => {
    const reply = replies[index];
    if (reply !== undefined) return reply;
    throw new ModelError(`the script is over: it has ${replies.length} replies, and this is turn ${index + 1}`, {
      code: "bad-request",
      hint: "Add a reply to the list, or end the conversation earlier.",
    });
  };
}

function turnOf({ messages, sampling }: ModelRequest, signal: AbortSignal): ScriptTurn {
  let index = 0;
  for (const message of messages) if (message.role === "assistant") index++;
  let random: Random | undefined;
  return {
    index,
    // Most scripts draw nothing, and seeding costs a hash.
    get random() {
      return (random ??= createRandom(sampling?.seed ?? 0).fork(String(index)));
    },
    signal,
  };
}

function messageOf({ content = "", reasoning, toolCalls = [] }: ScriptedReply, turn: number): AssistantMessage {
  return {
    role: "assistant",
    content,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls.length === 0
      ? {}
      : {
          toolCalls: toolCalls.map((call, index) => ({
            id: `call-${turn}-${index}`,
            name: call.name,
            arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
          })),
        }),
  };
}

/** Made up, but the same for the same ids: in (-5, 0]. */
function logprobsOf(ids: Int32Array): Float32Array {
  const logprobs = new Float32Array(ids.length);
  for (let index = 0; index < ids.length; index++) logprobs[index] = -((ids[index]! * 31 + index * 17) % 500) / 100;
  return logprobs;
}

function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    // A script may have taken its time: a signal that has already fired tells nobody again.
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
