import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { evaluate } from "../evaluation/evaluate.ts";
import { findLocalModel } from "../model/local-model.ts";
import { lowerCase, toyConfig, toyEngine, withToy } from "../testing/toy-model.ts";
import { train } from "../training/train.ts";

test("a folder is evaluated through an engine in this process, a run as the policy of its last checkpoint", async () => {
  const { folder: cwd } = await withToy();
  const outcome = await train({ ...toyConfig, eval: false }, { cwd, engine: toyEngine });
  const shared = { env: "lower-case", numTasks: 6, groupSize: 8, sampling: { maxTokens: 2 } };
  const rewardOf = async (model: string) => {
    const { reward, failed } = await evaluate({ ...shared, model }, { cwd, engine: toyEngine });
    expect(failed).toBe(0);
    return reward?.mean ?? 0;
  };
  const before = await rewardOf("./toy");
  const after = await rewardOf(`runs/${outcome.name}`);
  expect(after).toBeGreaterThan(before + 0.1);
  expect(await rewardOf("toy")).toBe(before);
});

test("a run without a checkpoint is the model it started from", async () => {
  const { folder: cwd } = await withToy();
  const stopped = new AbortController();
  const onEvent = (): void => stopped.abort();
  const { name, policy } = await train(toyConfig, { cwd, engine: toyEngine, onEvent, signal: stopped.signal });
  expect(policy).toBeNull();
  const { reward } = await evaluate(
    { env: lowerCase(), model: `runs/${name}`, numTasks: 2 },
    { cwd, engine: toyEngine },
  );
  expect(reward).not.toBeNull();
});

test("folders are told apart by what is in them", async () => {
  const { folder: cwd, write } = await withToy();
  await write("tuned/adapter_config.json", "{}");
  await write("runs/x/run.toml", "");
  await write("runs/x/adapter/adapter_config.json", "{}");
  await mkdir(join(cwd, "empty"));
  const typeOf = async (name: string) => (await findLocalModel(name, cwd))?.type;
  expect(await typeOf("toy")).toBe("folder");
  expect(await typeOf("./tuned")).toBe("adapter");
  expect(await typeOf("runs/x")).toBe("run");
  expect(await typeOf("runs/x/adapter")).toBe("run");
  expect(await typeOf("hone/tiny")).toBe("folder");
  expect(await typeOf("openai/gpt-5-mini")).toBeUndefined();
  await expect(typeOf("empty")).rejects.toMatchObject({ message: expect.stringContaining("no config.json") });
  await expect(typeOf("runs/y")).rejects.toMatchObject({ hint: expect.stringContaining("hone runs list") });
});
