import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { GroupId, RolloutId, TaskId } from "./data.ts";
import type { Message } from "./message.ts";
import {
  type AgentResult,
  type Call,
  type Failure,
  type MessageNode,
  type NodeTokens,
  Rollout,
  rolloutSchema,
  type Stop,
} from "./rollout.ts";
import { concatRuns, runsOf } from "./runs.ts";

// zod leaves out a key named __proto__, and so does everyone who reads JSON with care.
const hasProto = (value: unknown): boolean => JSON.stringify(value).includes("__proto__");
const text = fc.string({ maxLength: 12 }).filter((text) => !hasProto(text));
const count = fc.nat({ max: 1000 });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const milliseconds = finite.map(Math.abs);
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !hasProto(value))
  .map((value) => JSON.parse(JSON.stringify(value)) as never);
type Shape<Of> = { readonly [Key in keyof Of]: fc.Arbitrary<Of[Key]> };
/** Objects whose `optional` fields are there or not, never undefined. */
function objectOf<Required extends object, Optional extends object>(
  required: Shape<Required>,
  optional: Shape<Optional>,
): fc.Arbitrary<Required & Partial<Optional>> {
  const shape: Record<string, fc.Arbitrary<unknown>> = { ...required, ...optional };
  return fc.record(shape, { requiredKeys: Object.keys(required) }) as fc.Arbitrary<never>;
}

const failure: fc.Arbitrary<Failure> = fc.record({
  boundary: fc.constantFrom("model", "tool", "sandbox", "reward", "environment"),
  code: text,
  message: text,
  isRetryable: fc.boolean(),
});
const stop: fc.Arbitrary<Stop> = fc.oneof(
  fc.constantFrom<Stop>({ type: "answered" }, { type: "failed" }, { type: "cancelled" }),
  text.map((by): Stop => ({ type: "ended", by })),
  fc
    .constantFrom("turns", "inputTokens", "outputTokens", "totalTokens", "seconds", "context")
    .map((of): Stop => ({ type: "limit", of })),
);
const image = fc.record({ type: fc.constant("image" as const), url: text });
const toolCall = fc.record({ id: text, name: text, arguments: text });
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("system" as const), content: text }),
  fc.record({ role: fc.constant("user" as const), content: fc.oneof(text, fc.array(image, { maxLength: 2 })) }),
  objectOf(
    { role: fc.constant("assistant" as const), content: text },
    { reasoning: text, toolCalls: fc.array(toolCall, { maxLength: 2 }) },
  ),
  objectOf({ role: fc.constant("tool" as const), toolCallId: text, content: text }, { isError: fc.boolean() }),
);
const tokens: fc.Arbitrary<NodeTokens> = fc
  .record({
    before: fc.int32Array({ maxLength: 5 }),
    logprobs: fc.float32Array({ maxLength: 5, noNaN: true }),
    after: fc.int32Array({ maxLength: 2 }),
    version: fc.nat({ max: 9 }),
  })
  .map(({ before, logprobs, after, version }) => ({
    ids: Int32Array.of(...before, ...logprobs.map((_, at) => at), ...after),
    sampledFrom: before.length,
    logprobs,
    policyVersion: concatRuns(Array.from(logprobs, (_, at) => runsOf(version + (at >> 1), 1))),
  }));
const nodes: fc.Arbitrary<MessageNode[]> = fc
  .array(objectOf({ pick: fc.nat(), agent: text, message, sampled: fc.boolean() }, { tokens }), { maxLength: 5 })
  .map((nodes) => nodes.map(({ pick, ...node }, index) => ({ ...node, parent: index === 0 ? null : pick % index })));
const agent: fc.Arbitrary<AgentResult> = fc.record({
  name: text,
  trainable: fc.boolean(),
  model: text,
  reward: fc.option(finite),
  rewards: fc.dictionary(text, fc.record({ value: finite, weight: finite }), { noNullPrototype: true }),
  metrics: fc.dictionary(text, finite, { noNullPrototype: true }),
});
const callIn = (nodes: readonly MessageNode[]): fc.Arbitrary<Call> =>
  objectOf(
    {
      node: nodes.length === 0 ? fc.constant(null) : fc.option(fc.nat({ max: nodes.length - 1 })),
      endpoint: text,
      sampling: objectOf({}, { temperature: milliseconds, stop: fc.array(text), seed: fc.integer() }),
      usage: objectOf({ inputTokens: count, outputTokens: count }, { costUsd: finite }),
      finish: fc.option(fc.constantFrom("stop", "length", "tool-calls", "content-filter")),
      startedAtMs: milliseconds,
      durationMs: milliseconds,
    },
    { error: failure },
  );

const rollout: fc.Arbitrary<Rollout> = nodes.chain((nodes) =>
  objectOf(
    {
      id: text.map((id) => `r${id}` as RolloutId),
      group: text.map((id) => `g${id}` as GroupId),
      index: count,
      attempt: count,
      seed: fc.integer(),
      env: text,
      envVersion: text,
      taskId: text.map((id) => `t${id}` as TaskId),
      taskHash: text,
      agents: fc.array(agent, { minLength: 1, maxLength: 2 }),
      nodes: fc.constant(nodes),
      calls: fc.array(callIn(nodes), { maxLength: 3 }),
      state: json,
      stop,
      truncated: fc.boolean(),
      timing: fc.record({
        startedAtMs: milliseconds,
        durationMs: milliseconds,
        setupMs: milliseconds,
        modelMs: milliseconds,
        scoringMs: milliseconds,
      }),
      info: fc.dictionary(text, json, { noNullPrototype: true }),
    },
    { failure },
  ),
);

describe("Rollout", () => {
  test("what is written as JSON is read back the same", () => {
    fc.assert(
      fc.property(rollout, (rollout) => {
        const line = JSON.stringify(z.encode(Rollout, rollout));
        expect(z.decode(Rollout, JSON.parse(line))).toEqual(rollout);
      }),
      { numRuns: 60 },
    );
  });

  test("columns that are typed arrays already are taken as they are", () => {
    const schema = rolloutSchema({ ids: z.instanceof(Int32Array), logprobs: z.instanceof(Float32Array) });
    fc.assert(
      fc.property(rollout, (rollout) => {
        expect(schema.parse(rollout)).toEqual(rollout);
      }),
      { numRuns: 20 },
    );
  });

  const [whole] = fc.sample(
    rollout.filter(({ nodes, calls }) => nodes.length > 2 && calls.length > 1 && nodes[2]?.tokens !== undefined),
    { numRuns: 1, seed: 5 },
  );
  const json = (): Record<string, never> => JSON.parse(JSON.stringify(z.encode(Rollout, whole as Rollout)));
  const broken: [what: string, path: readonly (string | number)[], value: unknown][] = [
    ["an empty id", ["id"], ""],
    ["an unknown stop", ["stop", "type"], "tired"],
    ["a limit that does not exist", ["stop"], { type: "limit", of: "patience" }],
    ["a boundary that does not exist", ["failure"], { boundary: "x", code: "", message: "", isRetryable: false }],
    ["a reward that is text", ["agents", 0, "reward"], "1"],
    ["a message without a role", ["nodes", 1, "message"], { content: "" }],
    ["a parent that comes after its child", ["nodes", 1, "parent"], 2],
    ["a message that is its own parent", ["nodes", 0, "parent"], 0],
    ["a call of a message that does not exist", ["calls", 1, "node"], 99],
    ["a column that is a list", ["nodes", 2, "tokens", "ids"], [1, 2]],
    ["a column that is cut off", ["nodes", 2, "tokens", "ids"], "AQ=="],
    [
      "a sampled part beyond the ids",
      ["nodes", 2, "tokens"],
      { ids: "", sampledFrom: 1, logprobs: "", policyVersion: runsOf(0, 0) },
    ],
    [
      "sampled tokens without a version",
      ["nodes", 2, "tokens"],
      { ids: "AQAAAA==", sampledFrom: 0, logprobs: "AACAPw==", policyVersion: runsOf(0, 0) },
    ],
    ["no agent at all", ["agents"], []],
    ["negative time", ["timing", "modelMs"], -1],
  ];
  for (const [what, path, value] of broken) {
    test(`${what} is refused at ${path.join(".")}`, () => {
      const changed = json();
      let holder: Record<string | number, unknown> = changed;
      for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
      holder[path.at(-1) ?? ""] = value;
      const result = z.safeDecode(Rollout, changed);
      expect(result.success).toBe(false);
      const paths = result.error?.issues.map((issue) => issue.path.join(".")) ?? [];
      expect(paths.some((found) => found.startsWith(path.join(".")))).toBe(true);
    });
  }

  test("a field nobody knows is refused by name", () => {
    const result = z.safeDecode(Rollout, { ...json(), mood: "good" });
    expect(result.error?.issues[0]).toMatchObject({ code: "unrecognized_keys", keys: ["mood"] });
  });
});
