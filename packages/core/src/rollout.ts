// Rollout: one attempt at a task. A tree of messages with agents, so that branches, sub-agents, compaction and self-play need no other type;
// a chat is one agent and one leaf. Serialisable by construction; token columns are typed arrays (base64 in JSON, a binary file in a run directory).
import * as z from "zod";
import { Float32Column, Int32Column } from "./columns.ts";
import { type GroupId, idSchema, type JsonObject, jsonSchema, type RolloutId, type TaskId } from "./data.ts";
import { Message } from "./message.ts";
import { Finish, PolicyVersions, Sampling, Usage } from "./model.ts";
import { type Runs, runsLength } from "./runs.ts";

export interface Rollout<State = unknown> extends RolloutIdentity {
  /** The name of the environment in this run. */
  readonly env: string;
  readonly envVersion: string;
  readonly taskId: TaskId;
  readonly taskHash: string;
  readonly agents: readonly AgentResult[];
  readonly nodes: readonly MessageNode[];
  readonly calls: readonly Call[];
  /** Saved, because re-scoring needs it. */
  readonly state: State;
  readonly stop: Stop;
  /** A limit ended it, or the last reply was cut off. */
  readonly truncated: boolean;
  /** Present when it failed: never trained on, never a reward of 0, always visible. */
  readonly failure?: Failure;
  readonly timing: RolloutTiming;
  /** What rewards and harnesses left for a reader: judge transcripts, restarts. */
  readonly info: JsonObject;
}

/** Which rollout this is. Given by whoever asks for it, so that a run repeated with the same seed has the same rollouts. */
export interface RolloutIdentity {
  readonly id: RolloutId;
  readonly group: GroupId;
  /** Position in its group, from 0. */
  readonly index: number;
  /** 0 at first; counts retries after a failure. */
  readonly attempt: number;
  readonly seed: number;
}

export interface AgentResult {
  readonly name: string;
  readonly trainable: boolean;
  readonly model: string;
  /** Weighted sum; null when the rollout failed before it was scored. */
  readonly reward: number | null;
  readonly rewards: Readonly<Record<string, RewardValue>>;
  /** Rewards of weight 0, and what is counted for every rollout. */
  readonly metrics: Readonly<Record<string, number>>;
}
export interface RewardValue {
  readonly value: number;
  readonly weight: number;
}

export interface MessageNode {
  /** Index of the message before it, null at a root. Parents come before children. */
  readonly parent: number | null;
  readonly agent: string;
  readonly message: Message;
  /** True only where this rollout's model call produced the message. */
  readonly sampled: boolean;
  readonly tokens?: NodeTokens;
}

/**
 * On a sampled node: the tokens this call added to its branch, namely what was new in the prompt, then what was sampled.
 * Concatenated from root to leaf they are exactly what the policy saw and said.
 */
export interface NodeTokens {
  readonly ids: Int32Array;
  /** ids[sampledFrom .. sampledFrom + logprobs.length) were sampled; what is around them is template and other people's text. */
  readonly sampledFrom: number;
  readonly logprobs: Float32Array;
  readonly policyVersion: Runs<number>;
}

/** One call to a model, whether it answered or not. */
export interface Call {
  /** The message it produced; null when it failed. */
  readonly node: number | null;
  readonly endpoint: string;
  readonly sampling: Sampling;
  readonly usage: Usage;
  readonly finish: Finish | null;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly error?: Failure;
}

/** Why it ended. Closed; handle it exhaustively. */
export type Stop =
  | { readonly type: "answered" } // the model finished by itself
  | { readonly type: "ended"; readonly by: string } // the environment ended it: a stop condition, or end("won")
  | { readonly type: "limit"; readonly of: LimitName | "context" } // clean, marked truncated
  | { readonly type: "failed" } // see `failure`
  | { readonly type: "cancelled" };
export type LimitName = "turns" | "inputTokens" | "outputTokens" | "totalTokens" | "seconds";
export type Limits = { readonly [Name in LimitName]?: number };

export type Boundary = "model" | "tool" | "sandbox" | "reward" | "environment";
export interface Failure {
  readonly boundary: Boundary;
  /** The class of error, stable: what retry policies name. */
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
}

export interface RolloutTiming {
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly setupMs: number;
  /** Spent waiting for the model, summed over calls. */
  readonly modelMs: number;
  readonly scoringMs: number;
}

const Failure: z.ZodType<Failure> = z.strictObject({
  boundary: z.enum(["model", "tool", "sandbox", "reward", "environment"]),
  code: z.string(),
  message: z.string(),
  isRetryable: z.boolean(),
});
const Stop: z.ZodType<Stop> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("answered") }),
  z.strictObject({ type: z.literal("ended"), by: z.string() }),
  z.strictObject({
    type: z.literal("limit"),
    of: z.enum(["turns", "inputTokens", "outputTokens", "totalTokens", "seconds", "context"]),
  }),
  z.strictObject({ type: z.literal("failed") }),
  z.strictObject({ type: z.literal("cancelled") }),
]);
const milliseconds = z.number().min(0);
const AgentResult: z.ZodType<AgentResult> = z.strictObject({
  name: z.string(),
  trainable: z.boolean(),
  model: z.string(),
  reward: z.number().nullable(),
  rewards: z.record(z.string(), z.strictObject({ value: z.number(), weight: z.number() })),
  metrics: z.record(z.string(), z.number()),
});
const Call: z.ZodType<Call> = z.strictObject({
  node: z.int().min(0).nullable(),
  endpoint: z.string(),
  sampling: Sampling,
  usage: Usage,
  finish: Finish.nullable(),
  startedAtMs: milliseconds,
  durationMs: milliseconds,
  error: Failure.exactOptional(),
});

/** Columns as base64 (`Rollout`) or as typed arrays already (readers of a run directory). */
export function rolloutSchema(columns: {
  readonly ids: z.ZodType<Int32Array, unknown>;
  readonly logprobs: z.ZodType<Float32Array, unknown>;
}): z.ZodType<Rollout, unknown> {
  const tokens = z
    .strictObject({
      ids: columns.ids,
      sampledFrom: z.int().min(0),
      logprobs: columns.logprobs,
      policyVersion: PolicyVersions,
    })
    .refine((node) => node.sampledFrom + node.logprobs.length <= node.ids.length, "the sampled part lies within ids")
    .refine(
      (node) => runsLength(node.policyVersion) === node.logprobs.length,
      "a policy version for each sampled token",
    );
  const shape = z.strictObject({
    id: idSchema<"rollout">(),
    group: idSchema<"group">(),
    index: z.int().min(0),
    attempt: z.int().min(0),
    seed: z.int(),
    env: z.string(),
    envVersion: z.string(),
    taskId: idSchema<"task">(),
    taskHash: z.string(),
    agents: z.array(AgentResult).min(1),
    nodes: z.array(
      z.strictObject({
        parent: z.int().min(0).nullable(),
        agent: z.string(),
        message: Message,
        sampled: z.boolean(),
        tokens: tokens.exactOptional(),
      }),
    ),
    calls: z.array(Call),
    state: jsonSchema(),
    stop: Stop,
    truncated: z.boolean(),
    failure: Failure.exactOptional(),
    timing: z.strictObject({
      startedAtMs: milliseconds,
      durationMs: milliseconds,
      setupMs: milliseconds,
      modelMs: milliseconds,
      scoringMs: milliseconds,
    }),
    info: z.record(z.string(), jsonSchema()),
  });
  return shape.check(({ value, issues }) => {
    // What walks the tree relies on this: a parent that comes later could be a circle.
    for (const [index, { parent }] of value.nodes.entries()) {
      if (parent === null || parent < index) continue;
      issues.push({
        code: "custom",
        input: parent,
        path: ["nodes", index, "parent"],
        message: "comes before its child",
      });
    }
    for (const [index, { node }] of value.calls.entries()) {
      if (node === null || node < value.nodes.length) continue;
      issues.push({ code: "custom", input: node, path: ["calls", index, "node"], message: "is one of nodes" });
    }
  });
}

/** JSON on the left, a rollout on the right: `z.decode(Rollout, json)`, `z.encode(Rollout, rollout)`. */
export const Rollout: z.ZodType<Rollout, unknown> = rolloutSchema({ ids: Int32Column, logprobs: Float32Column });
