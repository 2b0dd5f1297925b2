import { join } from "node:path";
import { expect, test } from "vitest";
import { toyConfig, toyEngine, withToy } from "../testing/toy-model.ts";
import { readRunRequest, type RunFlags } from "./read-run.ts";
import { train } from "./train.ts";

const none: RunFlags = { model: undefined, set: undefined, quick: false, run: undefined, resume: undefined };

test("--quick makes any run small, and what is set explicitly wins", async () => {
  const { folder: cwd, write } = await withToy();
  const model = "./toy";
  const quick = await readRunRequest(["lower-case"], { ...none, model, quick: true, set: ["group_size=2"] }, cwd);
  expect(quick.config).toMatchObject({ maxSteps: 2, groupSize: 2, batchSize: 8, eval: { numTasks: 8 } });
  await write("run.toml", 'model = "./toy"\neval = false\n[[env]]\nid = "lower-case"\n');
  const unmeasured = await readRunRequest(["run.toml"], { ...none, quick: true }, cwd);
  expect(unmeasured.config).toMatchObject({ maxSteps: 2, groupSize: 4, eval: false });
});

test("files compose from left to right, then --model, then --set", async () => {
  const { folder: cwd, write } = await withToy();
  await write("base.toml", 'model = "./other"\nmax_steps = 5\nseed = 1\n[[env]]\nid = "lower-case"\n');
  await write("more.toml", "max_steps = 7\n");
  const flags = { ...none, model: "./toy", set: ["seed=3"], run: "mine" };
  const { config, directory } = await readRunRequest(["base.toml", "more.toml"], flags, cwd);
  expect(config).toMatchObject({ model: "./toy", maxSteps: 7, seed: 3 });
  expect(directory).toBe(join(cwd, "runs", "mine"));
});

test("a run goes on for longer when it is told to, and remembers that", async () => {
  const { folder: cwd } = await withToy();
  const { name, directory } = await train({ ...toyConfig, maxSteps: 1, eval: false }, { cwd, engine: toyEngine });
  const longer = await readRunRequest([], { ...none, resume: name, set: ["max_steps=2"] }, cwd);
  expect(longer).toMatchObject({ directory, resume: true, config: { maxSteps: 2, batchSize: 32 } });
  expect(longer.toml).toMatch(/^max_steps = 2$/m);
});

test("a run of fine-tuning is not gone on with here", async () => {
  const { folder: cwd, write } = await withToy();
  await write("runs/tuned/run.toml", 'model = "./toy"\n\n[[data]]\npath = "x.jsonl"\n');
  await expect(readRunRequest([], { ...none, resume: "tuned" }, cwd)).rejects.toMatchObject({
    message: "`tuned` is a run of hone sft.",
    hint: "hone sft --resume tuned",
  });
});
