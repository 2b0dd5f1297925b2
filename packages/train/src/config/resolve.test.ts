import { readConfig } from "@hone/config";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupsPerBatch, optimizerStep, type ResolvedRun, resolveRun, writeRun } from "./resolve.ts";
import { linearLayers, RunConfig } from "./run-config.ts";

const small = { model: "hone/tiny", env: [{ id: "reverse-text" }] };
const resolved = (more: object = {}): ResolvedRun => resolveRun(RunConfig.parse({ ...small, ...more }));

async function readBack(text: string): Promise<ResolvedRun> {
  const { value } = await readConfig({ schema: RunConfig, files: [{ path: "run.toml", text }] });
  return resolveRun(value);
}

describe("what a model and an environment alone give", () => {
  test("twenty updates of eight groups of sixteen, with LoRA on every linear layer", () => {
    const run = resolved();
    expect(run).toMatchObject({
      engine: "cpu",
      maxSteps: 20,
      batchSize: 128,
      groupSize: 16,
      seed: 0,
      lead: 0,
      maxOffPolicySteps: 8,
      truncated: "keep",
      stale: "drop",
      lora: { rank: 8, alpha: 16, targets: [...linearLayers], seed: 0 },
      algorithm: { type: "grpo" },
      checkpoint: { interval: 1, keep: 3 },
    });
    expect(groupsPerBatch(run)).toBe(8);
    expect(run.env).toEqual([
      {
        id: "reverse-text",
        name: "reverse-text",
        args: {},
        ratio: 1,
        groupSize: 16,
        split: "train",
        sampling: { temperature: 1 },
        algorithm: run.algorithm,
      },
    ]);
    expect(run).not.toHaveProperty("seqLen");
  });

  test("AdamW at the rate that was measured, constant", () => {
    expect(optimizerStep(resolved())).toEqual({
      learningRate: 2e-3,
      betas: [0.9, 0.95],
      epsilon: 1e-8,
      weightDecay: 0,
      gradientClip: 1,
    });
    expect(resolved().optimizer.schedule).toEqual({ type: "constant", warmupSteps: 0, final: 0 });
    expect(resolved({ lora: false }).optimizer.learningRate).toBe(3e-4);
    expect(resolved({ engine: "tinker" }).optimizer.learningRate).toBe(1e-4);
    expect(resolved({ engine: "torch", lora: false }).optimizer.learningRate).toBe(1e-6);
  });

  test("an evaluation of the same environment on held-out tasks", () => {
    expect(resolved().eval).toMatchObject({
      interval: 10,
      env: [{ id: "reverse-text", split: "eval", numTasks: 100, groupSize: 1, sampling: { temperature: 1 } }],
    });
    expect(resolved({ eval: false }).eval).toBe(false);
  });
});

describe("defaults follow what is given", () => {
  test("a batch is the largest multiple of the group size up to 128", () => {
    expect(resolved({ groupSize: 12 }).batchSize).toBe(120);
    expect(resolved({ groupSize: 200 }).batchSize).toBe(200);
  });

  test("an engine with its own processor samples ahead and is saved less often", () => {
    expect(resolved({ engine: "tinker" })).toMatchObject({ lead: 1, checkpoint: { interval: 10 } });
    expect(resolved({ engine: "tinker", lead: 0, checkpoint: { interval: 2 } })).toMatchObject({
      lead: 0,
      checkpoint: { interval: 2 },
    });
  });

  test("epochs alone end a run; with max_steps whichever comes first does", () => {
    expect(resolved({ epochs: 2 })).not.toHaveProperty("maxSteps");
    expect(resolved({ epochs: 2, maxSteps: 5 })).toMatchObject({ epochs: 2, maxSteps: 5 });
  });

  test("an environment takes what it does not say from the run", () => {
    const run = resolved({
      sampling: { maxTokens: 30, temperature: 0.9 },
      seed: 5,
      env: [
        { id: "@hone/a", sampling: { temperature: 0.7 }, groupSize: 4, algorithm: { type: "rloo" }, ratio: 2 },
        { id: "./environments/b/", maxTurns: 3 },
      ],
    });
    expect(run.env).toMatchObject([
      { name: "a", sampling: { maxTokens: 30, temperature: 0.7 }, groupSize: 4, algorithm: { type: "rloo" }, ratio: 2 },
      { name: "b", sampling: { maxTokens: 30, temperature: 0.9 }, groupSize: 16, maxTurns: 3, ratio: 1 },
    ]);
    expect(run.lora).toMatchObject({ seed: 5 });
  });

  test("ratios of all environments in one list are those of each", () => {
    const run = resolved({ env: [{ id: "a" }, { id: "b" }], envRatios: [3, 0.5] });
    expect(run.env.map(({ ratio }) => ratio)).toEqual([3, 0.5]);
    expect(run).not.toHaveProperty("envRatios");
  });

  test("evaluation samples as training does, unless it says otherwise", () => {
    const env = [
      { id: "a", sampling: { temperature: 0.7, maxTokens: 9 }, maxTasks: 5, groupSize: 4, system: "Be brief." },
    ];
    const run = resolved({ env, eval: { sampling: { temperature: 0, topP: 0.9 }, groupSize: 2 } });
    expect(run.eval).toMatchObject({
      env: [{ sampling: { temperature: 0, topP: 0.9, maxTokens: 9 }, groupSize: 2, system: "Be brief." }],
    });
    expect(JSON.stringify(run.eval)).not.toContain("maxTasks");
    const other = resolved({ env, eval: { numTasks: 7, env: [{ id: "b", sampling: { topK: 3 } }] } });
    expect(other.eval).toMatchObject({ env: [{ name: "b", numTasks: 7, sampling: { temperature: 1, topK: 3 } }] });
  });

  test("a schedule may be one word", () => {
    expect(resolved({ optimizer: { schedule: "cosine" } }).optimizer.schedule).toEqual({
      type: "cosine",
      warmupSteps: 0,
      final: 0,
    });
  });
});

test("settings that contradict each other are refused from code too", () => {
  const config = { ...RunConfig.parse(small), batchSize: 100 };
  expect(() => resolveRun(config)).toThrow(expect.objectContaining({ code: "config" }));
  expect(() => resolveRun(config)).toThrow("batchSize: 100 is not a multiple of group_size 16; 96 and 112 are");
});

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((name) => !["mean", "trained", "failed"].includes(name));
const count = fc.integer({ min: 1, max: 50 });
const sampling = fc.record(
  { maxTokens: count, temperature: fc.constantFrom(0.5, 1, 1.5), stop: fc.array(fc.string()) },
  { requiredKeys: [] },
);
const json = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()));
const env = fc.record(
  {
    id: word,
    args: fc.dictionary(fc.string(), json),
    groupSize: fc.integer({ min: 2, max: 9 }),
    sampling,
    maxTurns: count,
    maxTasks: count,
    system: fc.string(),
    tools: fc.array(word),
    harness: fc.record({ id: word, timeout: count }),
    workers: count,
    ratio: fc.double({ min: 0.1, max: 9, noNaN: true }),
    algorithm: fc.constantFrom({ type: "rloo" }, { type: "sft", minReward: 0.5 }, { type: "gspo", klWeight: 0.1 }),
  },
  { requiredKeys: ["id"] },
);
const run = fc.record(
  {
    model: word,
    env: fc.uniqueArray(env, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    engine: fc.constantFrom("cpu", "torch", "tinker", "verl"),
    epochs: count,
    groupSize: fc.integer({ min: 2, max: 20 }),
    seed: fc.integer(),
    seqLen: fc.integer({ min: 51, max: 5000 }),
    sampling,
    lora: fc.oneof(fc.constant(false), fc.record({ rank: count, targets: fc.array(word, { minLength: 1 }) })),
    optimizer: fc.record({
      learningRate: fc.double({ min: 1e-9, max: 1, noNaN: true }),
      schedule: fc.constant("constant"),
    }),
    eval: fc.oneof(
      fc.constant(false),
      fc.record({ interval: count, sampling }, { requiredKeys: [] }),
      fc.record({
        env: fc.uniqueArray(fc.record({ id: word, numTasks: count, sampling }), {
          selector: ({ id }) => id,
          minLength: 1,
        }),
      }),
    ),
    judge: fc.record({ endpoint: word }),
    wandb: fc.record({ project: word, mode: fc.constantFrom("online", "offline") }),
    tensorboard: fc.constant({}),
  },
  { requiredKeys: ["model", "env"] },
);

test("a resolved run that is written and read again is the same run, and the same text", async () => {
  await fc.assert(
    fc.asyncProperty(run, async (input) => {
      const first = resolveRun(RunConfig.parse(input));
      const text = writeRun(first);
      const again = await readBack(text);
      expect(again).toEqual(first);
      expect(writeRun(again)).toBe(text);
    }),
    { numRuns: 15 },
  );
});
