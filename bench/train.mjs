// Training without the engine: whole runs with one that answers at once, on disk as always. Fixed work: a prompt of 200 tokens, a reply of 64,
// groups of 16, 2,048 rollouts per update, a reward that differs within every group, difficulty pools, grpo. One process.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { train } from "@hone/cli";
import { makeBatch } from "@hone/train";
import { figure, median } from "./lib/figure.mjs";
import { packAll } from "./lib/train-engine.mjs";
import { environmentNamed, groupSize, instantPolicy, noSandboxes, trainingRun, treatment } from "./lib/train-run.mjs";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const signal = new AbortController().signal;
const batchTokens = 2 ** 20;

/** Finished groups of at least `batchTokens` tokens in all: prompts of 200 tokens, replies of 824. */
async function finishedGroups() {
  const environment = environmentNamed("held");
  const { engine, modelOf } = instantPolicy(824, true);
  const model = modelOf(engine.sampler("latest"));
  const resources = { model, models: () => model, sandboxes: noSandboxes, harness: undefined, sampling: {} };
  const tasks = [];
  for await (const task of environment.tasks("train")) tasks.push(task);
  const groups = [];
  for (let number = 0; number * groupSize * 1024 < batchTokens; number++) {
    const rollouts = [];
    for (let index = 0; index < groupSize; index++) {
      const identity = { id: `${number}#${index}`, group: `${number}`, index, attempt: 0, seed: 100 * number + index };
      rollouts.push(await environment.rollout({ task: tasks[number % 180], identity, resources, signal }));
    }
    groups.push({ rollouts });
  }
  return groups;
}

async function memoryInUse() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const batchOf = (groups) =>
  makeBatch({
    groups,
    treatmentOf: () => treatment,
    states: {},
    policyVersion: 0,
    truncated: "keep",
    seqLen: 4096,
  });

async function warmUp() {
  batchOf(await finishedGroups());
}
await warmUp(); // so that code and templates are not counted
const empty = await memoryInUse();
const groups = await finishedGroups();
const waiting = await memoryInUse();
const batch = batchOf(groups);
const ready = await memoryInUse();
const tokens = batch.samples.reduce((sum, sample) => sum + sample.tokens.length, 0);
const lowest = { bar: 16, better: "lower" };
figure("train", "memory per buffered token, groups that wait for their batch", (waiting - empty) / tokens, "B", lowest);
figure("train", "memory per token of a batch, beside its groups", (ready - waiting) / tokens, "B", lowest);

packAll(batch.samples);
const packing = Array.from({ length: 5 }, () => {
  const started = performance.now();
  if (packAll(batch.samples) < batchTokens) throw new Error("a batch of a million tokens is smaller than that");
  return performance.now() - started;
});
figure("train", "a batch of 1M tokens packed", median(packing), "ms", { bar: 200, better: "lower" });

await trainingRun(1, 3);
await trainingRun(64, 3);
await trainingRun(1, 3, { hasText: true });
const one = [];
const many = [];
const written = [];
for (let round = 0; round < 3; round++) {
  one.push(await trainingRun(1, 6));
  many.push(await trainingRun(64, 6));
  written.push(await trainingRun(1, 6, { hasText: true }));
}
// The best of three rounds, and for the comparison the processor's time: what else the machine does is not ours.
const fastest = (runs) => Math.max(...runs.map(({ perSecond }) => perSecond));
const cheapest = (runs) => Math.min(...runs.map(({ processorUs }) => processorUs));
figure("train", "rollouts/s scheduled, scored, turned into samples and packed", fastest(one), "1/s", { bar: 5_000 });
figure("train", "the same, with a chat template and a tokenizer", fastest(written), "1/s");
const cost = 100 * (1 - cheapest(one) / cheapest(many));
figure("train", "throughput lost from 1 environment to 64", cost, "%", { bar: 10, better: "lower" });

/** Steps of the quickstart: how much of their time the coordinating thread works instead of waiting for the engine. */
async function coordination() {
  const cwd = await mkdtemp(join(tmpdir(), "hone-bench-train-"));
  const shares = [];
  let before;
  const onEvent = ({ type }) => {
    if (type !== "update-end") return;
    const now = performance.eventLoopUtilization();
    if (before !== undefined) shares.push(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  };
  try {
    await train({ model: "hone/tiny", maxSteps: 8, env: [{ id: "reverse-text" }], eval: false }, { cwd, onEvent });
  } finally {
    await rm(cwd, { recursive: true });
  }
  return 100 * median(shares);
}
const overhead = { bar: 5, better: "lower" };
figure("train", "coordinator's share of a step of the quickstart", await coordination(), "%", overhead);
