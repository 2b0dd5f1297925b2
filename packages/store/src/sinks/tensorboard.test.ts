import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resumeRun } from "../run-directory.ts";
import { readEvents } from "./testing/decode-events.ts";
import { eventually, follow, newRun } from "./testing/followed-run.ts";

const config = { tensorboard: {} };

async function pointsIn(folder: string): Promise<string[]> {
  return (await readEvents(folder))
    .filter(({ version }) => version === undefined)
    .map(({ step, isRestart, scalars }) => (isRestart ? `restart ${step}` : `${step} ${Object.keys(scalars).join()}`));
}

test("what a run writes while it is followed is in the event files when the sinks are gone", async () => {
  await using run = await newRun();
  const followed = await follow(run.directory, config);
  await run.append("updates", { step: 1, "reward/mean": 0.25 });
  await run.append("evals", { step: 1, env: "words", "reward/mean": 0.5 });
  await run.append("updates", { step: 2, "reward/mean": 0.75 });
  await followed[Symbol.asyncDispose]();
  const folder = join(run.directory, "tensorboard");
  expect(await pointsIn(folder)).toEqual(["1 reward/mean", "2 reward/mean"]);
  expect(await pointsIn(join(folder, "evals"))).toEqual(["1 eval/words/reward/mean"]);
  expect((await readEvents(folder)).at(-1)?.scalars).toEqual({ "reward/mean": 0.75 });
  expect(followed.messages()).toEqual([`tensorboard --logdir ${folder}`]);
  expect(await readdir(folder)).toContainEqual(expect.stringMatching(/^events\.out\.tfevents\.\d{10}\./));
});

test("a resumed run goes on: nothing is written twice, and superseded steps are dropped", async () => {
  const first = await newRun();
  const { directory } = first;
  const before = await follow(directory, config);
  for (const step of [1, 2, 3]) await first.append("updates", { step, x: step });
  await before[Symbol.asyncDispose]();
  await first.close();

  await using second = await resumeRun(directory);
  const after = await follow(directory, config);
  for (const step of [3, 4]) await second.append("updates", { step, x: step });
  await after[Symbol.asyncDispose]();
  expect(await pointsIn(join(directory, "tensorboard"))).toEqual(["1 x", "2 x", "3 x", "restart 3", "3 x", "4 x"]);
});

test("sinks that are opened on a run that is over send all of it, elsewhere too", async () => {
  const run = await newRun();
  for (const step of [1, 2]) await run.append("updates", { step, x: step });
  await run.close();
  await (await follow(run.directory, { tensorboard: { directory: "../boards" } }))[Symbol.asyncDispose]();
  await (await follow(run.directory, { tensorboard: { directory: "../boards" } }))[Symbol.asyncDispose]();
  expect(await pointsIn(join(run.directory, "..", "boards"))).toEqual(["1 x", "2 x"]);
});

test("a folder that cannot be written is told once, and so is what is missing at the end", async () => {
  await using run = await newRun();
  await writeFile(join(run.directory, "tensorboard"), "in the way");
  await run.append("updates", { step: 1, x: 1 });
  const followed = await follow(run.directory, config, { deadlineMs: 100 });
  await eventually(() => followed.notices.some(({ level }) => level === "warning"));
  await followed[Symbol.asyncDispose]();
  const warnings = followed.notices.filter(({ level }) => level === "warning");
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^cannot write .* It is tried again; the run goes on\.$/),
    "not delivered: 1 update.",
  ]);
});

test("rows that cannot be read are passed over, and a state that cannot be read means a fresh start", async () => {
  await using run = await newRun();
  await writeFile(join(run.directory, "sinks.json"), "{");
  await writeFile(join(run.directory, "updates.jsonl"), '{"step":-1}\n{"step":"b"}\n{"step":5,"x":1}\n');
  const followed = await follow(run.directory, config);
  await followed[Symbol.asyncDispose]();
  expect(await pointsIn(join(run.directory, "tensorboard"))).toEqual(["5 x"]);
  expect(followed.messages().filter((message) => message.includes("passed over"))).toHaveLength(1);
  expect(followed.messages()[0]).toMatch(/sinks\.json.*Delivery starts from the beginning/);
  expect(JSON.parse(await readFile(join(run.directory, "sinks.json"), "utf8"))).toMatchObject({
    tensorboard: { points: 1 },
  });
});

test("what a person is told may fail, a stop may come first, and no sink at all is fine", async () => {
  await using run = await newRun();
  await run.append("updates", { step: 1, x: 1 });
  const onNotice = (): never => {
    throw new Error("the terminal is gone");
  };
  await (await follow(run.directory, config, { onNotice }))[Symbol.asyncDispose]();
  expect(await pointsIn(join(run.directory, "tensorboard"))).toEqual(["1 x"]);

  await run.append("updates", { step: 2, x: 1 });
  const stopped = await follow(run.directory, config, { signal: AbortSignal.abort() });
  await stopped[Symbol.asyncDispose]();
  expect(stopped.messages()).toEqual(["not delivered: 1 update."]);

  const none = await follow(run.directory, { wandb: { project: "p", mode: "disabled" } });
  expect(none.sinks.names).toEqual([]);
  await none[Symbol.asyncDispose]();
});
