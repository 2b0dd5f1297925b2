import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { branchesOf, pathTo, samplesOf } from "./branch.ts";
import type { GroupId, RolloutId, TaskId } from "./data.ts";
import type { AgentResult, Call, MessageNode, NodeTokens, Rollout } from "./rollout.ts";
import { expandRuns, runsOf } from "./runs.ts";
import { Sample } from "./sample.ts";

const agentOf = (name: string, trainable = true): AgentResult => {
  return { name, trainable, model: "m", reward: 1, rewards: {}, metrics: {} };
};

function said(parent: number | null, content: string, agent = "agent"): MessageNode {
  return { parent, agent, message: { role: "user", content }, sampled: false };
}

/** `before` ids of context, then the sampled ones, then `after` of template. Ids are told apart by `first`. */
function reply(
  parent: number | null,
  { agent = "agent", first = 0, before = 2, sampled = 3, after = 0, version = 0 }: Partial<ReplyOptions> = {},
): MessageNode {
  const tokens: NodeTokens = {
    ids: Int32Array.from({ length: before + sampled + after }, (_, at) => first + at),
    sampledFrom: before,
    logprobs: Float32Array.from({ length: sampled }, (_, at) => -(first + at + 1)),
    policyVersion: runsOf(version, sampled),
  };
  return { parent, agent, message: { role: "assistant", content: "x" }, sampled: true, tokens };
}
interface ReplyOptions {
  readonly agent: string;
  readonly first: number;
  readonly before: number;
  readonly sampled: number;
  readonly after: number;
  readonly version: number;
}

const callOf = (node: number, temperature?: number): Call => ({
  node,
  endpoint: "policy",
  sampling: temperature === undefined ? {} : { temperature },
  usage: { inputTokens: 0, outputTokens: 0 },
  finish: "stop",
  startedAtMs: 0,
  durationMs: 0,
});

function rolloutOf(nodes: readonly MessageNode[], change: Partial<Rollout> = {}): Rollout {
  return {
    id: "r" as RolloutId,
    group: "g" as GroupId,
    index: 0,
    attempt: 0,
    seed: 0,
    env: "env",
    envVersion: "1",
    taskId: "t" as TaskId,
    taskHash: "",
    agents: [agentOf("agent")],
    nodes,
    calls: [],
    state: null,
    stop: { type: "answered" },
    truncated: false,
    timing: { startedAtMs: 0, durationMs: 0, setupMs: 0, modelMs: 0, scoringMs: 0 },
    info: {},
    ...change,
  };
}

describe("branches", () => {
  test("every message is on a branch, and every branch runs from a root to a leaf", () => {
    const trees = fc
      .array(fc.nat(), { maxLength: 30 })
      .map((picks) =>
        picks.map((pick, index) => said(index === 0 || pick % 4 === 0 ? null : pick % index, String(index))),
      );
    fc.assert(
      fc.property(trees, (nodes) => {
        const branches = branchesOf(nodes);
        expect(new Set(branches.flat())).toEqual(new Set(nodes.keys()));
        const parents = new Set(nodes.map(({ parent }) => parent));
        for (const branch of branches) {
          expect(nodes[branch[0] ?? -1]?.parent).toBeNull();
          expect(parents.has(branch.at(-1) ?? -1)).toBe(false);
          for (let at = 1; at < branch.length; at++) expect(nodes[branch[at]!]?.parent).toBe(branch[at - 1]);
          expect(pathTo(nodes, branch.at(-1) ?? -1)).toEqual(branch);
        }
      }),
    );
  });
});

describe("samples of a rollout", () => {
  test("a conversation of five turns is one sample: what the policy saw and said, in order", () => {
    const nodes: MessageNode[] = [];
    for (let turn = 0; turn < 5; turn++) {
      nodes.push(said(turn === 0 ? null : nodes.length - 1, "ask"));
      nodes.push(reply(nodes.length - 1, { first: 10 * turn, after: 1 }));
    }
    const samples = samplesOf(rolloutOf(nodes));
    expect(samples).toHaveLength(1);
    const [sample] = samples;
    expect([...(sample?.tokens ?? [])]).toEqual(
      [0, 10, 20, 30, 40].flatMap((first) => [0, 1, 2, 3, 4, 5].map((at) => first + at)),
    );
    expect([...(sample?.weight ?? [])]).toEqual([0, 1, 2, 3, 4].flatMap(() => [0, 0, 1, 1, 1, 0]));
    expect(sample).toMatchObject({ id: "r/0", rollout: "r", agent: "agent", env: "env", branch: 0 });
    expect([...(sample?.logprob.subarray(6, 12) ?? [])]).toEqual([0, 0, -11, -12, -13, 0]);
    expect(sample?.advantage).toEqual(new Float32Array(30));
    expect(z.safeEncode(Sample, sample as Sample).success).toBe(true);
  });

  test("after a compaction the second root is a second sample", () => {
    const nodes = [said(null, "long"), reply(0, { first: 0 }), said(null, "summary"), reply(2, { first: 100 })];
    const samples = samplesOf(rolloutOf(nodes));
    expect(samples.map(({ id, tokens }) => [id, tokens[0]])).toEqual([
      ["r/0", 0],
      ["r/1", 100],
    ]);
    for (const { weight } of samples) expect([...weight]).toEqual([0, 0, 1, 1, 1]);
  });

  test("what two branches share is trained in the first and context in the second", () => {
    const nodes = [
      said(null, "ask"),
      reply(0, { first: 0 }),
      reply(1, { first: 10 }),
      reply(1, { first: 20, sampled: 1 }),
    ];
    const samples = samplesOf(rolloutOf(nodes));
    expect(samples.map(({ tokens }) => [...tokens])).toEqual([
      [0, 1, 2, 3, 4, 10, 11, 12, 13, 14],
      [0, 1, 2, 3, 4, 20, 21, 22],
    ]);
    expect(samples.map(({ weight }) => [...weight])).toEqual([
      [0, 0, 1, 1, 1, 0, 0, 1, 1, 1],
      [0, 0, 0, 0, 0, 0, 0, 1],
    ]);
    const trained = samples.flatMap(({ weight }) => [...weight]).reduce((sum, weight) => sum + weight, 0);
    expect(trained).toBe(7);
  });

  test("a branch that only repeats what was trained gives no sample", () => {
    const nodes = [said(null, "ask"), reply(0), said(1, "one leaf"), said(1, "another leaf")];
    expect(samplesOf(rolloutOf(nodes))).toHaveLength(1);
  });

  test("temperature and policy version are those of each call", () => {
    const nodes = [
      said(null, "ask"),
      reply(0, { before: 1, sampled: 2, version: 3 }),
      reply(1, { before: 1, sampled: 2, after: 1, version: 4 }),
    ];
    const [sample] = samplesOf(rolloutOf(nodes, { calls: [callOf(1, 0.7), callOf(2)] }));
    expect(sample?.temperature).toEqual({ values: [0.7, 1], lengths: [3, 4] });
    expect(sample?.policyVersion).toEqual({ values: [3, 4], lengths: [3, 4] });
  });

  test("a policy that changed within a reply is recorded token by token", () => {
    const node = reply(null, { before: 1, sampled: 3, after: 1 });
    const tokens: NodeTokens = { ...node.tokens!, policyVersion: { values: [5, 6], lengths: [2, 1] } };
    const [sample] = samplesOf(rolloutOf([{ ...node, tokens }]));
    expect([...expandRuns(sample!.policyVersion)]).toEqual([5, 5, 5, 6, 6]);
  });

  test("agents that are not trained, and models without tokens, give none", () => {
    expect(samplesOf(rolloutOf([said(null, "ask"), said(0, "answer")]))).toEqual([]);
    const judge = rolloutOf([reply(null, { agent: "judge" })], { agents: [agentOf("judge", false)] });
    expect(samplesOf(judge)).toEqual([]);
    expect(samplesOf(rolloutOf([{ ...reply(null), sampled: false }]))[0]?.weight).toEqual(new Float32Array(5));
  });

  test("players on roots of their own have samples of their own", () => {
    const nodes = [reply(null, { agent: "white" }), reply(null, { agent: "black" }), reply(0, { agent: "white" })];
    const samples = samplesOf(rolloutOf(nodes, { agents: [agentOf("white"), agentOf("black", false)] }));
    expect(samples.map(({ agent, tokens }) => [agent, tokens.length])).toEqual([["white", 10]]);
  });

  test("players who share a branch each get it with weight on their own messages", () => {
    const nodes = [
      reply(null, { agent: "white", before: 1, sampled: 1 }),
      reply(0, { agent: "black", before: 1, sampled: 1 }),
      reply(1, { agent: "white", before: 1, sampled: 1 }),
    ];
    const samples = samplesOf(rolloutOf(nodes, { agents: [agentOf("white"), agentOf("black")] }));
    expect(samples.map(({ id, agent, weight }) => [id, agent, [...weight]])).toEqual([
      ["r/0", "white", [0, 1, 0, 0, 0, 1]],
      ["r/0/black", "black", [0, 0, 0, 1]],
    ]);
  });
});

describe("memory", () => {
  test("a chat of one turn is held once: its sample has the very ids of its rollout", () => {
    const rollout = rolloutOf([said(null, "hello"), reply(0)]);
    expect(samplesOf(rollout)[0]?.tokens).toBe(rollout.nodes[1]?.tokens?.ids);
  });

  test("ids that are part of a larger buffer are copied, so that a sample drags nothing else along", () => {
    const node = reply(null);
    const ids = Int32Array.of(9, ...node.tokens!.ids, 9).subarray(1, -1);
    const [sample] = samplesOf(rolloutOf([{ ...node, tokens: { ...node.tokens!, ids } }]));
    expect(sample?.tokens).toEqual(ids);
    expect(sample?.tokens.buffer.byteLength).toBe(ids.byteLength);
  });
});
