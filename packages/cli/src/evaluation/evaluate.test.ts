import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModel } from "@hone/core/testing";
import { openRun } from "@hone/store";
import { expect, onTestFinished, test } from "vitest";
import { echo } from "../testing/environments.ts";
import { provideEnvironment, workspace } from "../testing/workspace.ts";
import { evaluate } from "./evaluate.ts";

test("an environment and a model may be given as objects", async () => {
  const model = scriptedModel(({ messages }) => String(messages.at(-1)?.content), { name: "mirror" });
  const evaluation = await evaluate({ env: echo().create({}), model, numTasks: 5, groupSize: 2 });
  expect(evaluation).toMatchObject({ env: "echo", model: "mirror", rollouts: 10, failed: 0, directory: null });
  expect(evaluation.reward?.mean).toBe(1);
});

test("names are found as the command line finds them, and results are kept where told", async () => {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  const directory = join(made.folder, "out");
  const seen: number[] = [];
  const evaluation = await evaluate(
    { env: "echo", model: "scripted:gold", args: { maxWords: 1 }, numTasks: 3, maxTurns: 1, harness: "single" },
    { cwd: made.folder, directory, onProgress: ({ done }) => void seen.push(done) },
  );
  expect(evaluation).toMatchObject({ directory, rollouts: 3, envVersion: "1.2.3" });
  expect(evaluation.metrics["length"]?.mean).toBe(5);
  expect(seen).toEqual([1, 2, 3]);
  const again = await evaluate(
    { env: "echo", model: "scripted:gold", args: { max_words: 1 }, numTasks: 3, maxTurns: 1, harness: "single" },
    { cwd: made.folder, directory: join(made.folder, "other") },
  );
  expect(again.reward).toEqual(evaluation.reward);
});

test("what is right is kept beside each task, whoever answers and whatever the environment came as", async () => {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  const directory = join(made.folder, "out");
  const model = scriptedModel(() => "wrong", { name: "wrong" });
  await evaluate({ env: echo().create({}), model, numTasks: 2 }, { directory });
  const named = { env: "echo", model: "scripted", args: { maxWords: 1 }, numTasks: 2 };
  await evaluate(named, { cwd: made.folder, directory: join(made.folder, "named") });
  const golds = async (path: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { value } of (await openRun(path)).read("tasks")) found.push(value.gold);
    return found;
  };
  expect(await golds(directory)).toEqual([["word0 word0 word0"], ["word1 word1 word1"]]);
  expect(await golds(join(made.folder, "named"))).toEqual([["word0"], ["word1"]]);
});

test("mistakes are the errors of the command line", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "hone-cli-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const environment = echo().create({});
  await expect(evaluate({ env: "echoo", model: "scripted" }, { cwd })).rejects.toMatchObject({
    code: "unknown-environment",
  });
  await expect(evaluate({ env: environment, model: "gpt" }, { cwd, env: {} })).rejects.toMatchObject({
    code: "unknown-model",
  });
  await expect(evaluate({ env: environment, model: "scripted", groupSize: 0 }, { cwd })).rejects.toMatchObject({
    code: "config",
  });
  await expect(evaluate({ env: environment, model: "scripted", workers: 2 }, { cwd })).rejects.toMatchObject({
    code: "bad-option",
  });
});

test("a signal that has fired stops it before it begins", async () => {
  const signal = AbortSignal.abort();
  const work = evaluate({ env: echo().create({}), model: "scripted" }, { signal });
  await expect(work).rejects.toMatchObject({ code: "cancelled" });
});
