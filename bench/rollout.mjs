// Speed and memory of rollouts. Fixed work: a 200-token prompt, a reply of 64 token ids with logprobs, exact match and two metrics,
// schemas on, rows written and read back. One process, but for the HTTP server, which is another.
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModel } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { createClient } from "@hone/model";
import { openRolloutWriter, readRollouts } from "@hone/store";
import * as z from "zod";
import { figure, measured, median } from "./lib/figure.mjs";

const reply = "r".repeat(63);
const signal = new AbortController().signal;
const resources = (model) => ({
  model,
  models: () => model,
  sandboxes: undefined,
  harness: undefined,
  sampling: { temperature: 1, maxTokens: 64 },
});
const identity = (index) => ({ id: `bench#${index}`, group: "bench", index, attempt: 0, seed: index });

/** What the scripted model's tokens are made of: 200 in the prompt with its markers, 64 in the reply with its end. */
const question = "q".repeat(197);

const single = defineEnvironment({
  name: "bench",
  tasks: [{ question: question, answer: reply }],
  prompt: ({ task }) => task.question,
  rewards: { exact: ({ task, reply: said }) => said === task.answer },
  metrics: { letters: ({ reply: said }) => said.length, words: ({ reply: said }) => said.split(" ").length },
  maxTurns: 1,
});

async function tasksOf(environment) {
  const tasks = [];
  for await (const task of environment.tasks("all")) tasks.push(task);
  return tasks;
}

/** `count` rollouts with `concurrency` in flight, written as they finish, then read back and validated. */
async function run(model, count, concurrency) {
  const [task] = await tasksOf(single);
  const directory = await mkdtemp(join(tmpdir(), "hone-bench-"));
  const writer = await openRolloutWriter(directory, 0);
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const rollout = await single.rollout({ task, identity: identity(next++), resources: resources(model), signal });
      if (rollout.agents[0].reward !== 1)
        throw new Error(`a rollout scored ${rollout.agents[0].reward}: ${JSON.stringify(rollout.failure)}`);
      const written = writer.write(rollout);
      if (rollout.index % 64 === 0) await written; // back-pressure: the disk sets the pace when it is slower
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  await writer.close();
  let read = 0;
  let tokens = 0;
  for await (const rollout of readRollouts(directory)) {
    read++;
    tokens += rollout.nodes[1].tokens.ids.length;
  }
  await rm(directory, { recursive: true });
  if (read !== count || tokens !== count * 264) throw new Error(`read ${read} rollouts and ${tokens} tokens back`);
}

async function throughput(model, count, concurrency) {
  await run(model, Math.ceil(count / 4), concurrency); // warm-up
  const runs = [];
  for (let round = 0; round < 3; round++) runs.push(await measured(() => run(model, count, concurrency)));
  return {
    perSecond: count / median(runs.map(({ seconds }) => seconds)),
    delayMs: Math.max(...runs.map(({ delayMs }) => delayMs)),
  };
}

async function overHttp() {
  const server = fork(new URL("./lib/rollout-server.mjs", import.meta.url));
  const url = await new Promise((resolve, reject) => {
    server.once("message", resolve);
    server.once("exit", (code) => reject(new Error(`the server ended with code ${code}`)));
  });
  const model = createClient({
    name: "bench",
    model: "scripted",
    baseUrl: url,
    dialect: "chat",
    tokens: true,
    maxConnections: 64,
  });
  try {
    return await throughput(model, 6_000, 64);
  } finally {
    await model[Symbol.asyncDispose]();
    server.kill();
  }
}

/** Ten thousand five-turn tool rollouts held at once: each waits at a gate in its last turn until all are there. */
async function held(count) {
  let arrived = 0;
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const model = scriptedModel(async (_request, { index: turn }) => {
    if (turn < 4) return { toolCalls: [{ name: "step", arguments: {} }] };
    if (++arrived === count) open();
    await gate;
    return reply;
  });
  const environment = defineEnvironment({
    name: "held",
    tasks: [{ question: question, answer: reply }],
    prompt: ({ task }) => task.question,
    state: () => ({ steps: 0 }),
    tools: {
      step: {
        description: "One step.",
        parameters: z.object({}),
        execute: (_input, { state }) => `step ${++state.steps}`,
      },
    },
    rewards: { exact: ({ task, reply: said }) => said === task.answer },
    metrics: { steps: ({ state }) => state.steps },
  });
  const [task] = await tasksOf(environment);
  let most = 0;
  const rollouts = [];
  for (let index = 0; index < count; index++) {
    rollouts.push(environment.rollout({ task, identity: identity(index), resources: resources(model), signal }));
    if (index % 100 === 0) await new Promise(setImmediate);
  }
  void gate.then(() => (most = process.memoryUsage.rss()));
  const done = await Promise.all(rollouts);
  if (done.some(({ agents }) => agents[0].reward !== 1 || agents[0].metrics.turns !== 5))
    throw new Error("a held rollout went wrong");
  return Math.max(most, process.memoryUsage.rss());
}

const memory = await measured(() => held(10_000));
figure("rollout", "10,000 concurrent 5-turn tool rollouts, resident memory", memory.result / 2 ** 30, "GiB", {
  bar: 1,
  better: "lower",
});
const inProcess = await throughput(
  scriptedModel(() => reply),
  20_000,
  256,
);
figure("rollout", "single-turn rollouts/s, in process", inProcess.perSecond, "1/s", { bar: 10_000 });
const http = await overHttp();
figure("rollout", "single-turn rollouts/s, over HTTP", http.perSecond, "1/s", { bar: 2_000 });
const worst = Math.max(memory.delayMs, inProcess.delayMs, http.delayMs);
figure("rollout", "event-loop delay, 99th percentile, worst of the above", worst, "ms", { bar: 50, better: "lower" });
