import { parseToml } from "@hone/config";
import { describe, expect, test } from "vitest";
import { loadSftConfig, sftSettings } from "./resolve.ts";

const small = 'model = "m"\n[[data]]\npath = "a.jsonl"\n';
const load = (text: string, overrides: readonly string[] = []) =>
  loadSftConfig({ files: [{ path: "sft.toml", text }], overrides });

test("a model and a file are enough", async () => {
  const { config } = await load(small);
  expect(config).toMatchObject({
    engine: "cpu",
    epochs: 1,
    batchSize: 32,
    tooLong: "drop",
    trainOn: "all",
    eval: { fraction: 0.02, interval: 50 },
    lora: { rank: 8, seed: 0 },
    optimizer: { learningRate: 2e-3, schedule: { type: "constant" } },
    checkpoint: { interval: 100, keep: 3 },
  });
  expect(sftSettings(config)).toMatchObject({
    epochs: 1,
    batch: { conversations: 32 },
    adapter: { rank: 8 },
    optimizer: { learningRate: 2e-3, gradientClip: 1 },
    evaluation: { fraction: 0.02, paths: [] },
  });
});

test("what is resolved is a file that resolves to itself", async () => {
  const text = `${small}weight = 2\n[[data]]\nrun = "r"\nmin_reward = 0.5\nweight = 1\n[optimizer]\nschedule = "cosine"\n`;
  const first = await load(text, ["batch_tokens=4096", "max_steps=9", "lora=false", "init=random"]);
  expect(first.config).toMatchObject({ maxSteps: 9, batchTokens: 4096, lora: false, init: "random", initSeed: 0 });
  expect(first.config.epochs).toBeUndefined();
  const again = await load(first.toml);
  expect(again).toEqual(first);
  expect(parseToml(first.toml, "run.toml").value).toMatchObject({
    batch_tokens: 4096,
    data: [{}, { min_reward: 0.5 }],
  });
});

test("random weights are trained whole", async () => {
  const { config } = await load(small, ["init=random", "init_seed=5"]);
  expect(config).toMatchObject({ lora: false, initSeed: 5, optimizer: { learningRate: 3e-4 } });
  expect(sftSettings(config).adapter).toBe("full");
});

describe("a mistake is told at its key", () => {
  test.each([
    [["epochs=1", "max_steps=2"], "max_steps or epochs, and not both"],
    [["batch_size=1", "batch_tokens=2"], "batch_size or batch_tokens, and not both"],
    [["data.0.run=r"], "write a [[data]] for each"],
    [["data.0.min_reward=1"], "is for rollouts"],
    [["data.1.path=b"], undefined],
    [["data.1.path=b", "data.1.weight=2"], "has no weight and others have"],
    [["data.1.weight=2"], "says no path, run or eval"],
    [["eval.fraction=0.1", 'eval.paths=["x"]'], "keep one of them"],
    [["init_seed=2"], 'has no effect without init = "random"'],
    [["init=random", "lora.rank=4"], "random weights have nothing to adapt"],
    [["optimizer.schedule.warmup_steps=9", "max_steps=5"], "the run has only 5 steps"],
    [["cpu.threads=2", "engine=torch"], "has no effect with engine"],
    [["batchsize=3"], "batch_size"],
  ])("%j", async (overrides, message) => {
    const loading = load(small, overrides);
    if (message === undefined) await expect(loading).resolves.toBeDefined();
    else await expect(loading).rejects.toThrow(message);
  });
});
