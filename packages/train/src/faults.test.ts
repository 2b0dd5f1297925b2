// What goes wrong around a run, and what becomes of the run: parts that hang, fail or give nonsense, a policy that changes under a rollout.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment } from "@hone/env";
import { type LedgerRow, type MetricRow, openRun, type RunEvent } from "@hone/store";
import { afterEach, expect, test } from "vitest";
import type { TrainEnvironment } from "./nouns.ts";
import type { TrainEvent, TrainOptions } from "./options.ts";
import { lowerCase, toyOptions } from "./testing/toy-run.ts";
import { train } from "./train.ts";
import { readSamples } from "./update/sample-file.ts";

const folders: string[] = [];
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "hone-faults-"));
  folders.push(made);
  return join(made, "run");
}
afterEach(async () => {
  for (const made of folders.splice(0)) await rm(made, { recursive: true });
});

async function all<Row>(rows: AsyncIterable<{ readonly value: Row }>): Promise<Row[]> {
  const values: Row[] = [];
  for await (const { value } of rows) values.push(value);
  return values;
}
async function rowsOf(directory: string): Promise<{ updates: MetricRow[]; events: RunEvent[]; groups: LedgerRow[] }> {
  const run = await openRun(directory);
  return {
    updates: await all(run.read("updates")),
    events: await all(run.read("events")),
    groups: await all(run.read("groups")),
  };
}

/** Lower case again, with a reward of one's own. */
function rewarded(name: string, reward: (reply: string) => number | Promise<number>): TrainEnvironment {
  const environment = defineEnvironment({
    name,
    tasks: Array.from({ length: 40 }, (_, index) => ({ id: `${name}-${index}`, text: `task ${index}` })),
    evalTasks: [{ id: "held-out", text: "held out" }],
    prompt: ({ task }) => task.text,
    rewards: { own: ({ reply }) => reward(reply) },
    maxTurns: 1,
  });
  return { ...lowerCase(name, 1), environment };
}
const share = (reply: string) => [...reply].filter((c) => c >= "a" && c <= "z").length / Math.max(1, reply.length);

test("a reward that hangs: the run says which environment waits for what, and goes on when it answers", async () => {
  const directory = await folder();
  let calls = 0;
  let answer: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (answer = resolve));
  const environment = rewarded("slow", async (reply) => {
    if (calls++ === 3) await gate;
    return share(reply);
  });
  const stalls: TrainEvent[] = [];
  const onEvent = (event: TrainEvent) => {
    if (event.type !== "stall") return;
    stalls.push(event);
    answer();
  };
  await train(toyOptions(directory, { environments: [environment], stallAfterSeconds: 0.1, maxSteps: 1, onEvent }));
  expect(stalls).toMatchObject([{ part: "reward", env: "slow", waiting: { slow: { "reward own": 1 } } }]);
  const { events } = await rowsOf(directory);
  expect(events.find(({ type }) => type === "stall")?.detail).toMatchObject({ part: "reward", env: "slow" });
});

test("an environment that holds up the event loop, and with it all others, is named", async () => {
  const directory = await folder();
  let calls = 0;
  const environment = rewarded("heavy", (reply) => {
    if (calls++ === 0) for (const until = performance.now() + 230; performance.now() < until;);
    return share(reply);
  });
  const blocked: TrainEvent[] = [];
  const onEvent = (event: TrainEvent) => void (event.type === "blocked" && blocked.push(event));
  await train(toyOptions(directory, { environments: [environment], maxSteps: 1, onEvent }));
  expect(blocked[0]).toMatchObject({ envs: ["heavy"], where: ["reward own"] });
  expect((await rowsOf(directory)).events.map(({ type }) => type)).toContain("blocked");
});

test("rollouts that never end fail at their boundary after the time limit, and the run goes on without them", async () => {
  const directory = await folder();
  let calls = 0;
  const environment = rewarded("hung", (reply) => (calls++ % 8 === 3 ? new Promise(() => undefined) : share(reply)));
  const result = await train(
    toyOptions(directory, { environments: [environment], rolloutTimeoutSeconds: 0.05, maxSteps: 1 }),
  );
  expect(result).toEqual({ step: 1, why: "done" });
  const { updates, groups } = await rowsOf(directory);
  expect(updates[0]).toMatchObject({
    "rollout/failed/reward": 6,
    "rollout/hung/failed/reward": 6,
    "rollout/count": 42,
  });
  expect(groups.every(({ rollouts }) => rollouts.length === 8)).toBe(true);
});

test("a run in which everything fails stops and says what, where and how often; mended, it is resumed", async () => {
  const directory = await folder();
  const broken = rewarded("broken", () => {
    throw new RangeError("no answer key");
  });
  const events: TrainEvent[] = [];
  const options = { environments: [broken], onEvent: (event: TrainEvent) => events.push(event), maxSteps: 2 };
  await expect(train(toyOptions(directory, options))).rejects.toMatchObject({
    code: "all-failed",
    message: expect.stringContaining("432 x broken, at the reward: Reward own: no answer key (RangeError)"),
  });
  expect(events.at(-1)).toMatchObject({ type: "run-fail", code: "all-failed" });
  expect((await rowsOf(directory)).events.at(-1)).toMatchObject({ type: "run-fail" });
  const mended = await train(
    toyOptions(directory, { resume: true, environments: [rewarded("broken", share)], maxSteps: 2 }),
  );
  expect(mended).toEqual({ step: 2, why: "done" });
});

test("an aborted run stops cleanly in the middle of a batch and is resumed to the same end", async () => {
  const directory = await folder();
  const controller = new AbortController();
  let calls = 0;
  const environment = (stops: boolean) =>
    rewarded("e", (reply) => {
      if (stops && calls++ === 70) controller.abort();
      return share(reply);
    });
  const short = { maxSteps: 3 };
  const stopped = await train(
    toyOptions(directory, { ...short, environments: [environment(true)], signal: controller.signal }),
  );
  expect(stopped).toEqual({ step: 1, why: "stopped" });
  await train(toyOptions(directory, { ...short, environments: [environment(false)], resume: true }));
  const whole = await folder();
  await train(toyOptions(whole, { ...short, environments: [environment(false)] }));
  const losses = async (of: string) => (await rowsOf(of)).updates.map((row) => row["update/loss"]);
  expect(await losses(directory)).toEqual(await losses(whole));
});

/** Two turns, with something to wait for in between. */
function twoTurns(between: (task: string) => Promise<void>): TrainEnvironment {
  const environment = defineEnvironment({
    name: "turns",
    tasks: Array.from({ length: 40 }, (_, index) => ({ id: `turns-${index}`, text: `task ${index}` })),
    evalTasks: [{ id: "held-out", text: "held out" }],
    prompt: ({ task }) => task.text,
    respond: async ({ task }) => {
      await between(task.id);
      return "go on";
    },
    rewards: { own: ({ reply }) => share(reply) },
    maxTurns: 2,
  });
  return { ...lowerCase("turns", 1), environment };
}

test("weights change under a rollout: each of its tokens knows the policy that sampled it, and its age counts from the oldest", async () => {
  const directory = await folder();
  const seen = new Set<string>();
  let updated: () => void = () => undefined;
  const update = new Promise<void>((resolve) => (updated = resolve));
  // The groups that are collected ahead wait in the middle until the first update has been made.
  const environment = twoTurns(async (task) => {
    if (seen.size < 6) seen.add(task);
    if (!seen.has(task)) await update;
  });
  const onEvent = ({ type }: TrainEvent) => void (type === "update-end" && updated());
  const lead = { lead: 1, maxOffPolicySteps: 1, concurrency: 200, maxSteps: 2 };
  await train(toyOptions(directory, { ...lead, environments: [environment], onEvent }));
  const samples = await readSamples(directory, 2);
  expect(samples.some(({ policyVersion }) => policyVersion.values.join() === "0,1")).toBe(true);
  const row = (await rowsOf(directory)).updates[1];
  expect(row?.["sample/age/max"]).toBe(1);
  expect(row?.["sample/age/mean"]).toBeLessThan(1);
});

test("every rollout on disk is in the ledger, those of groups collected ahead of the last update too", async () => {
  const directory = await folder();
  await train(toyOptions(directory, { lead: 1, maxSteps: 4 }));
  const { groups } = await rowsOf(directory);
  const booked = new Set(groups.flatMap(({ rollouts }) => rollouts));
  let count = 0;
  for await (const { id } of (await openRun(directory)).rollouts()) {
    count++;
    expect(booked).toContain(id);
  }
  expect(count).toBeGreaterThan(4 * 48);
  expect(groups.filter(({ outcome }) => outcome === "superseded").length).toBeGreaterThan(0);
});

test("a stale group is dropped or kept as the run says, and counted either way", async () => {
  const run = async (staleGroups: NonNullable<TrainOptions["staleGroups"]>) => {
    const directory = await folder();
    let slow = "";
    let updates = 0;
    const waiting: (() => void)[] = [];
    // One group waits for two updates.
    const environment = twoTurns(async (task) => {
      slow ||= task;
      if (task === slow && updates < 2) await new Promise<void>((resolve) => waiting.push(resolve));
    });
    const onEvent = ({ type }: TrainEvent) => {
      if (type === "update-end" && ++updates === 2) for (const go of waiting) go();
    };
    const more = { lead: 1, maxOffPolicySteps: 1, concurrency: 200, maxSteps: 4, staleGroups };
    await train(toyOptions(directory, { ...more, environments: [environment], onEvent }));
    const rows = (await rowsOf(directory)).updates;
    const sum = (name: string) => rows.reduce((total, row) => total + (row[name] as number), 0);
    return [sum("task/stale"), sum("task/stale_kept")];
  };
  const [dropped, none] = await run("drop");
  expect([dropped! >= 1, none]).toEqual([true, 0]);
  const [zero, kept] = await run("keep");
  expect([zero, kept! >= 1]).toEqual([0, true]);
});
