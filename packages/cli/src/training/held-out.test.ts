import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Model } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { expect, onTestFinished, test } from "vitest";
import { HeldOut, type HeldOutOptions } from "./held-out.ts";
import { heldOutHashes, withTrainingTasks } from "./training-tasks.ts";

const words = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
const repeat = defineEnvironment({
  name: "repeat",
  tasks: words.map((text) => ({ text })),
  evalTasks: words.slice(0, 4).map((text) => ({ text })),
  prompt: ({ task }) => task.text,
  rewards: {
    near: ({ task, reply }) => (reply.startsWith(task.text[0] ?? "") ? 0.5 : 0) + Number(reply === task.text) / 2,
  },
  metrics: { exact: ({ task, reply }) => reply === task.text },
  maxTurns: 1,
});
const says = (reply: (text: string) => string): Model =>
  scriptedModel(({ messages }) => reply(String(messages.at(-1)?.content)), { name: "policy" });
const never = new AbortController().signal;

async function heldOut(more: Partial<HeldOutOptions> = {}) {
  const directory = more.directory ?? (await mkdtemp(join(tmpdir(), "hone-cli-")));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const notices: string[] = [];
  const evaluation = new HeldOut({
    directory,
    environments: [
      { name: "repeat", environment: repeat, settings: {}, sampling: {}, split: "eval", numTasks: 100, groupSize: 2 },
    ],
    models: () => says((text) => text),
    sandboxes: { name: "none", open: () => Promise.reject(new Error("none")) },
    seed: 0,
    concurrency: 4,
    retry: { attempts: 1 },
    onNotice: (notice) => void notices.push(notice),
    stop: never,
    ...more,
  });
  return { evaluation, directory, notices };
}

test("the gain is paired by task with the first evaluation, also after a restart", async () => {
  const { evaluation, directory } = await heldOut();
  const [before] = await evaluation.run(
    0,
    says((text) => (text === "one" ? text : "x")),
    never,
  );
  expect(before).toMatchObject({ step: 0, env: "repeat", n: 8, "reward/mean": 0.25, "rollout/exact": 0.25 });
  expect(before).not.toHaveProperty("reward/gain");
  const { evaluation: later } = await heldOut({ directory });
  const [after] = await later.run(
    10,
    says((text) => (text === "four" ? "f" : text)),
    never,
  );
  // One task stays at 1, two rise from 0 to 1, one from 0 to a half.
  expect(after).toMatchObject({
    "reward/mean": 0.875,
    "reward/gain": 0.625,
    "reward/near/gain": 0.625,
    "rollout/exact/gain": 0.5,
  });
  const interval = after?.["reward/gain_ci95"] as readonly number[] | undefined;
  expect(((interval?.[0] ?? 0) + (interval?.[1] ?? 0)) / 2).toBeCloseTo(0.625);
  expect(after?.["rollout/exact/ci95"]).toHaveLength(2);
});

test("failed rollouts are told and left out of the pairs", async () => {
  const { evaluation, notices } = await heldOut();
  await evaluation.run(
    0,
    says(() => "x"),
    never,
  );
  const failing: Model = {
    name: "policy",
    complete: (request, options) =>
      request.messages.at(-1)?.content === "two"
        ? Promise.reject(new Error("the engine is tired"))
        : says((text) => text).complete(request, options),
  };
  const [row] = await evaluation.run(5, failing, never);
  expect(row).toMatchObject({ n: 6, failed: 2, "reward/gain": 1 });
  expect(notices).toEqual(["2 of 8 held-out rollouts of repeat failed: model: the engine is tired"]);
});

test("an evaluation that is stopped leaves no row", async () => {
  const controller = new AbortController();
  const { evaluation } = await heldOut({ stop: controller.signal, onProgress: () => controller.abort() });
  expect(
    await evaluation.run(
      0,
      says((text) => text),
      never,
    ),
  ).toEqual([]);
});

test("what keeps an evaluation from being made is a notice, not the end of the run", async () => {
  const broken = {
    ...repeat,
    info: repeat.info,
    kind: repeat.kind,
    tasks: () => {
      throw new Error("no network");
    },
  } as never;
  const { evaluation, notices } = await heldOut({
    environments: [
      { name: "b", environment: broken, settings: {}, sampling: {}, split: "eval", numTasks: 1, groupSize: 1 },
    ],
  });
  expect(
    await evaluation.run(
      0,
      says((text) => text),
      never,
    ),
  ).toEqual([]);
  expect(notices).toEqual(["No evaluation of b at step 0: no network"]);
});

test("a task that is evaluated is not trained on, though the environment lists it in both", async () => {
  const held = await heldOutHashes([{ environment: repeat, split: "eval", numTasks: 3 }]);
  const environment = withTrainingTasks(repeat, "train", held);
  const texts: unknown[] = [];
  for await (const task of environment.tasks("train")) texts.push((task as unknown as { text: string }).text);
  expect(texts).toEqual(words.slice(3));
});
