// A model: messages in, one message out. A policy also takes and returns token ids, so that nothing it sampled is ever re-tokenised.
import * as z from "zod";
import { type CallOptions, type JsonObject, jsonSchema, type RolloutId } from "./data.ts";
import type { AssistantMessage, Message } from "./message.ts";
import { type Runs, runsSchema } from "./runs.ts";

export interface Model {
  /** As the user named it; what rollouts and reports show. */
  readonly name: string;
  complete(request: ModelRequest, options: CallOptions): Promise<Completion>;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly sampling?: Sampling;
  /** What the policy has already seen: these ids are exactly the first `messages` messages. Extend them, do not re-render. */
  readonly seen?: SeenTokens;
  readonly session?: ModelSession;
}
export interface SeenTokens {
  readonly ids: Int32Array;
  readonly messages: number;
}
/** Who asks: for sticky routing and for noise that does not depend on arrival order. */
export interface ModelSession {
  readonly rollout: RolloutId;
  readonly agent: string;
}

export interface Completion {
  readonly message: AssistantMessage;
  readonly finish: Finish;
  readonly usage: Usage;
  readonly tokens?: CompletionTokens;
}
/** `logprobs[i]` is log softmax(z / temperature) of `ids[i]` before any truncation, under the version that sampled it. */
export interface CompletionTokens {
  readonly prompt: Int32Array;
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly policyVersion: Runs<number>;
}

export type Finish = "stop" | "length" | "tool-calls" | "content-filter";
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
  readonly costUsd?: number;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

export interface Sampling {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly reasoningEffort?: "minimal" | "low" | "medium" | "high";
  /** Further fields of the request body, as the server names them. */
  readonly extra?: JsonObject;
}

export const Sampling = z.strictObject({
  maxTokens: z.int().positive().exactOptional().describe("tokens sampled per reply, at most"),
  temperature: z.number().min(0).exactOptional(),
  topP: z.number().gt(0).max(1).exactOptional(),
  topK: z.int().min(-1).exactOptional(),
  minP: z.number().min(0).max(1).exactOptional(),
  presencePenalty: z.number().exactOptional(),
  frequencyPenalty: z.number().exactOptional(),
  seed: z.int().exactOptional(),
  stop: z.array(z.string()).exactOptional().describe("texts that end a reply"),
  reasoningEffort: z.enum(["minimal", "low", "medium", "high"]).exactOptional(),
  extra: z
    .record(z.string(), jsonSchema())
    .exactOptional()
    .describe("further fields of the request body, as the server names them"),
}) satisfies z.ZodType<Sampling>;

export const Usage: z.ZodType<Usage> = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedTokens: z.int().min(0).exactOptional(),
  reasoningTokens: z.int().min(0).exactOptional(),
  costUsd: z.number().exactOptional(),
});
export const Finish: z.ZodType<Finish> = z.enum(["stop", "length", "tool-calls", "content-filter"]);
export const PolicyVersions: z.ZodType<Runs<number>> = runsSchema(z.int().min(0));
