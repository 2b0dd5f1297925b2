// Any rollout the schema allows: trees, agents, odd text, odd numbers, columns of every length.
import { type MessageNode, type NodeTokens, type Rollout, runsOf } from "@hone/core";
import * as fc from "fast-check";

const text = fc.string({ unit: "binary", maxLength: 20 });
const name = fc.string({ minLength: 1, maxLength: 8 });
const count = fc.nat({ max: 1_000_000 });
// JSON has no -0, and zod drops a member called __proto__: neither is a matter of storage.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const positive = number.map(Math.abs);
const key = name.filter((word) => word !== "__proto__");
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => !JSON.stringify(value).includes("__proto__"))
  .map((value): unknown => JSON.parse(JSON.stringify(value)));
const jsonObject = fc.dictionary(key, json, { maxKeys: 3 });

const tokens: fc.Arbitrary<NodeTokens> = fc
  .tuple(fc.int32Array({ maxLength: 40 }), fc.nat(), fc.nat(), fc.nat())
  .chain(([ids, from, length, cut]) => {
    const sampledFrom = from % (ids.length + 1);
    const sampled = length % (ids.length - sampledFrom + 1);
    const first = sampled === 0 ? 0 : cut % sampled;
    const lengths = [first, sampled - first].filter((part) => part > 0);
    return fc
      .tuple(fc.float32Array({ minLength: sampled, maxLength: sampled }), fc.nat({ max: 99 }))
      .map(([logprobs, version]) => ({
        ids,
        sampledFrom,
        logprobs,
        policyVersion: { values: lengths.map((_part, index) => version + index), lengths },
      }));
  });

const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      text.map((value) => ({ type: "text", text: value })),
      text.map((url) => ({ type: "image", url })),
    ),
    { maxLength: 2 },
  ),
);
const message = fc.oneof(
  fc.record({ role: fc.constant("system"), content: text }),
  fc.record({ role: fc.constant("user"), content }),
  fc.record(
    {
      role: fc.constant("assistant"),
      content: text,
      reasoning: text,
      toolCalls: fc.array(fc.record({ id: text, name: text, arguments: text }), { maxLength: 2 }),
    },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({ role: fc.constant("tool"), toolCallId: text, content }),
) as fc.Arbitrary<MessageNode["message"]>;

const nodes = fc
  .array(
    fc.record(
      { parent: fc.nat(), agent: name, message, sampled: fc.boolean(), tokens },
      { requiredKeys: ["parent", "agent", "message", "sampled"] },
    ),
    { maxLength: 5 },
  )
  .map((all) => all.map((node, index) => ({ ...node, parent: index === 0 ? null : node.parent % index })));

const failure = fc.record({
  boundary: fc.constantFrom("model", "tool", "sandbox", "reward", "environment"),
  code: name,
  message: text,
  isRetryable: fc.boolean(),
});

const parts = fc.record(
  {
    id: name,
    group: name,
    index: count,
    attempt: count,
    seed: fc.integer(),
    env: text,
    envVersion: text,
    taskId: name,
    taskHash: text,
    agents: fc.array(
      fc.record({
        name,
        trainable: fc.boolean(),
        model: text,
        reward: fc.option(number),
        rewards: fc.dictionary(key, fc.record({ value: number, weight: number }), { maxKeys: 2 }),
        metrics: fc.dictionary(key, number, { maxKeys: 3 }),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    nodes,
    calls: fc.array(
      fc.record(
        {
          node: fc.option(count),
          endpoint: text,
          sampling: fc.record(
            { maxTokens: count.map((value) => value + 1), temperature: positive },
            { requiredKeys: [] },
          ),
          usage: fc.record({ inputTokens: count, outputTokens: count }),
          finish: fc.constantFrom("stop", "length", null),
          startedAtMs: positive,
          durationMs: positive,
          error: failure,
        },
        { requiredKeys: ["node", "endpoint", "sampling", "usage", "finish", "startedAtMs", "durationMs"] },
      ),
      { maxLength: 2 },
    ),
    state: json,
    stop: fc.oneof(
      fc.constantFrom({ type: "answered" }, { type: "failed" }, { type: "cancelled" }, { type: "limit", of: "turns" }),
      text.map((by) => ({ type: "ended", by })),
    ),
    truncated: fc.boolean(),
    failure,
    timing: fc.record({
      startedAtMs: positive,
      durationMs: positive,
      setupMs: positive,
      modelMs: positive,
      scoringMs: positive,
    }),
    info: jsonObject,
  },
  {
    requiredKeys: [
      ...(["id", "group", "index", "attempt", "seed", "env", "envVersion", "taskId", "taskHash", "agents"] as const),
      ...(["nodes", "calls", "state", "stop", "truncated", "timing", "info"] as const),
    ],
  },
) as unknown as fc.Arbitrary<Rollout>;

/** A call's message is one of the rollout's. */
export const arbitraryRollout: fc.Arbitrary<Rollout> = parts.map((rollout) => ({
  ...rollout,
  calls: rollout.calls.map((call) => ({
    ...call,
    node: call.node === null || rollout.nodes.length === 0 ? null : call.node % rollout.nodes.length,
  })),
}));

/** A small whole rollout; `number` decides its tokens. */
export function rolloutOf(number: number, sizes: { readonly ids: number } = { ids: 12 }): Rollout {
  const ids = new Int32Array(sizes.ids).map((_zero, index) => number * 1000 + index);
  const logprobs = new Float32Array(Math.floor(sizes.ids / 3)).fill(-number - 0.25);
  return {
    id: `rollout-${number}`,
    group: "group-1",
    index: number,
    attempt: 0,
    seed: 7,
    env: "echo",
    envVersion: "1.0.0",
    taskId: "task-1",
    taskHash: "0123456789abcdef",
    agents: [{ name: "agent", trainable: true, model: "toy", reward: 1, rewards: {}, metrics: {} }],
    nodes: [
      { parent: null, agent: "agent", message: { role: "user", content: "say \u00e9\u{1f600}\n" }, sampled: false },
      {
        parent: 0,
        agent: "agent",
        message: { role: "assistant", content: "it" },
        sampled: true,
        tokens: {
          ids,
          sampledFrom: Math.min(2, sizes.ids - logprobs.length),
          logprobs,
          policyVersion: runsOf(3, logprobs.length),
        },
      },
    ],
    calls: [],
    state: { seen: [number] },
    stop: { type: "answered" },
    truncated: false,
    timing: { startedAtMs: 1, durationMs: 2, setupMs: 0, modelMs: 1, scoringMs: 0 },
    info: {},
  } as unknown as Rollout;
}
