import { join } from "node:path";
import type { Rollout } from "@hone/core";
import { createRun, openRolloutWriter } from "@hone/store";
import { chatmlTemplate, createByteTokenizer, createChatTemplate, createRenderer } from "@hone/tokens";
import { describe, expect, test } from "vitest";
import { chooseRollouts, type RolloutFilter } from "./rollout-choice.ts";
import { openRollouts } from "./rollout-source.ts";
import { folderWith } from "./testing/folder.ts";
import { toyRenderer, toyTokenizer } from "./testing/toy-sft.ts";

interface Saved {
  readonly id: string;
  readonly task?: string;
  readonly env?: string;
  readonly reward?: number | null;
  readonly truncated?: boolean;
}

function rolloutOf({ id, task = "t", env = "e", reward = 1, truncated = false }: Saved): Rollout {
  const node = { agent: "agent", sampled: false };
  return {
    id,
    group: "g",
    index: 0,
    attempt: 0,
    seed: 0,
    env,
    envVersion: "1",
    taskId: task,
    taskHash: "h",
    agents: [{ name: "agent", trainable: true, model: "m", reward, rewards: {}, metrics: {} }],
    nodes: [
      { ...node, parent: null, message: { role: "user", content: `do ${task}` } },
      { ...node, parent: 0, sampled: true, message: { role: "assistant", content: `reply ${id}` } },
    ],
    calls: [],
    state: {},
    stop: { type: "answered" },
    truncated,
    timing: { startedAtMs: 0, durationMs: 0, setupMs: 0, modelMs: 0, scoringMs: 0 },
    info: {},
    ...(reward === null ? { failure: { boundary: "model", code: "x", message: "x", isRetryable: false } } : {}),
  } as unknown as Rollout;
}

async function saved(rollouts: readonly Saved[]): Promise<string> {
  const directory = join(await folderWith({}), "saved");
  await (await createRun(directory, { config: "" })).close();
  const writer = await openRolloutWriter(directory, 0);
  for (const rollout of rollouts) await writer.write(rolloutOf(rollout));
  await writer.close();
  return directory;
}

describe("rollouts to imitate", () => {
  const rollouts: readonly Saved[] = [
    { id: "a1", task: "a", reward: 0.2 },
    { id: "a2", task: "a", reward: 0.9 },
    { id: "a3", task: "a", reward: 0.5 },
    { id: "a4", task: "a", reward: 0.9 },
    { id: "b1", task: "b", reward: 0.1 },
    { id: "b2", task: "b", reward: null },
    { id: "c1", task: "c", reward: 1, env: "other" },
    { id: "c2", task: "c", reward: 1, truncated: true },
  ];
  test.each<[string, RolloutFilter, readonly string[]]>([
    ["all but failed and truncated ones", {}, ["a1", "a2", "a3", "a4", "b1", "c1"]],
    ["those that earned enough", { minReward: 0.5 }, ["a2", "a3", "a4", "c1"]],
    ["the best part of each task", { topFraction: 0.5 }, ["a2", "a4", "b1", "c1"]],
    ["so many of each task, the first among equals", { maxPerTask: 1 }, ["a2", "b1", "c1"]],
    ["the best part, if it is good enough", { topFraction: 0.25, minReward: 0.5 }, ["a2", "c1"]],
    ["those of an environment", { env: "other" }, ["c1"]],
    ["truncated ones too", { isTruncatedKept: true, env: "e", minReward: 1 }, ["c2"]],
  ])("are %s", async (_name, filter, expected) => {
    const { ids, found } = await chooseRollouts(await saved(rollouts), filter);
    expect([...ids].sort()).toEqual(expected);
    expect(found).toBe(8);
  });

  test("are rendered from their messages where no tokens were saved", async () => {
    const directory = await saved(rollouts);
    const { source } = await openRollouts({ directory, minReward: 1, renderer: toyRenderer, trainOn: "all" });
    const { tokens, trained } = await source.read(0);
    expect(source.size).toBe(1);
    expect(toyTokenizer.decode(tokens)).toContain("user\ndo c<|im_end|>");
    expect(toyTokenizer.decode(tokens.filter((_id, at) => trained[at] === 1))).toBe("reply c1<|im_end|>");
  });

  test("none of which is good enough are a mistake", async () => {
    const directory = await saved(rollouts);
    const opening = openRollouts({ directory, minReward: 2, renderer: toyRenderer, trainOn: "all" });
    await expect(opening).rejects.toThrow("Of the 8 rollouts in saved none is left");
    const elsewhere = openRollouts({ directory: "/nowhere", renderer: toyRenderer, trainOn: "all" });
    await expect(elsewhere).rejects.toThrow("/nowhere is not a run");
  });
});

describe("rollouts with the policy's tokens", () => {
  const odd = Int32Array.of(112, 113, 114, toyTokenizer.id("<|im_end|>") ?? -1);
  const withTokens = async (): Promise<string> => {
    const directory = await saved([]);
    const writer = await openRolloutWriter(directory, 1);
    const prompt = toyRenderer.render([{ role: "user", content: "do t" }], { addGenerationPrompt: true }).ids;
    const rollout = rolloutOf({ id: "x" });
    const [user, reply] = rollout.nodes;
    if (user === undefined || reply === undefined) throw new Error("a rollout has two messages");
    const tokens = {
      ids: Int32Array.from([...prompt, ...odd]),
      sampledFrom: prompt.length,
      logprobs: new Float32Array(odd.length),
      policyVersion: { values: [0], lengths: [odd.length] },
    };
    const said = { ...reply, message: { role: "assistant", content: "pqr" }, tokens } as const;
    await writer.write({ ...rollout, nodes: [user, said] });
    await writer.close();
    return directory;
  };

  test("are trained on with the very ids that it sampled", async () => {
    const directory = await withTokens();
    const { source } = await openRollouts({ directory, renderer: toyRenderer, trainOn: "all" });
    const { tokens, trained } = await source.read(0);
    expect(tokens.filter((_id, at) => trained[at] === 1)).toEqual(odd);
    expect(toyTokenizer.decode(tokens.filter((_id, at) => trained[at] === 0))).toMatch(/^<\|im_start\|>user\ndo t/);
  });

  test("of another tokenizer are refused, and rendered from their messages when asked", async () => {
    const directory = await withTokens();
    const tokenizer = createByteTokenizer(["<|im_start|>", "<|im_end|>"]);
    const shifted = {
      ...tokenizer,
      decode: (ids: ArrayLike<number>) => tokenizer.decode(Array.from(ids, (id) => id + 1)),
    };
    const renderer = createRenderer({ tokenizer: shifted, template: createChatTemplate(chatmlTemplate) });
    const options = { directory, renderer, trainOn: "all" } as const;
    await expect(openRollouts(options)).rejects.toThrow("not those of this model's tokenizer");
    const { source } = await openRollouts({ ...options, isRendered: true });
    expect(source.size).toBe(1);
  });
});
