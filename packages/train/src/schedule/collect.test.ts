import { createRandom, type GroupId, type Rollout } from "@hone/core";
import { expect, test } from "vitest";
import type { FinishedGroup, Ticket } from "../nouns.ts";
import { noDifficulty, wordsEnvironment } from "../testing/words.ts";
import { type CollectOptions, Collector } from "./collect.ts";
import { openCurriculum } from "./curriculum.ts";
import { pause } from "./pause.ts";

const rollout = (reward: number, version: number): Rollout =>
  ({
    id: "r",
    agents: [{ reward }],
    nodes: [{ tokens: { policyVersion: { values: [version], lengths: [1] } } }],
  }) as unknown as Rollout;

/** Rewards of a group by its ticket; it takes `delayMs` to finish. */
interface Plan {
  readonly rewards: (ticket: Ticket) => readonly number[];
  readonly delayMs?: (ticket: Ticket) => number;
  /** Until it is cancelled. */
  readonly hangs?: (ticket: Ticket) => boolean;
  readonly failures?: (ticket: Ticket) => readonly Rollout[];
  readonly version?: (ticket: Ticket, latest: number) => number;
}

const usual = { filter: true, maxOffPolicySteps: 1, stale: "drop", signal: new AbortController().signal } as const;

async function collector(plan: Plan, more: Partial<CollectOptions> = {}) {
  const environments = [wordsEnvironment("a", 50), wordsEnvironment("b", 50)];
  const curriculum = await openCurriculum({ environments, difficulty: noDifficulty, seed: 0 });
  const run = async (ticket: Ticket, policyVersion: number, signal: AbortSignal): Promise<FinishedGroup> => {
    const hangs = plan.hangs?.(ticket) ?? false;
    await pause(hangs ? 60_000 : (plan.delayMs?.(ticket) ?? 0), signal);
    const version = plan.version?.(ticket, policyVersion) ?? policyVersion;
    const rewards = hangs ? [] : plan.rewards(ticket);
    return {
      ticket,
      rollouts: rewards.map((reward) => rollout(reward, version)),
      failed: plan.failures?.(ticket) ?? [],
      lost: [],
      isShort: rewards.length < 2,
      attempt: 0,
      policyVersion,
    };
  };
  return new Collector({ curriculum, run, groupsPerBatch: 4, lead: 0, ...usual, ...more });
}
const mixed = () => [0, 1];
const shown = ({ judged }: Awaited<ReturnType<Collector["take"]>>) =>
  judged.map(({ group, verdict }) => `${group.ticket.number} ${verdict}`);

test("in order: which groups a batch has does not depend on how fast they finish", async () => {
  const rewards = ({ number }: Ticket) => (number % 3 === 1 ? [1, 1] : [0, 1]);
  const batches = async (seed: number) => {
    const random = createRandom(seed);
    const source = await collector({ rewards, delayMs: () => random.integer(8) });
    return [shown(await source.take(1)), shown(await source.take(2))];
  };
  const [first, second] = [await batches(1), await batches(2)];
  expect(first).toEqual(second);
  expect(first[0]).toEqual(["0 trained", "1 no_signal", "2 trained", "3 trained", "4 no_signal", "5 trained"]);
});

test("groups without signal are replaced, so batches stay full", async () => {
  const source = await collector({ rewards: ({ number }) => (number < 20 ? [1, 1] : [0, 1]) });
  const { judged } = await source.take(1);
  expect(judged.filter(({ verdict }) => verdict === "trained")).toHaveLength(4);
  expect(judged.filter(({ verdict }) => verdict === "no_signal")).toHaveLength(20);
});

test("without the filter they are trained on", async () => {
  const source = await collector({ rewards: () => [1, 1] }, { filter: false });
  expect((await source.take(1)).judged.every(({ verdict }) => verdict === "trained")).toBe(true);
});

test("a run that never gets a signal stops and names the environments", async () => {
  const source = await collector({ rewards: ({ env }) => (env === "a" ? [1, 1] : []) });
  await expect(source.take(1)).rejects.toThrow(
    /Nothing to learn from: .*a: all rewards of a group agree \(\d+ groups\)/,
  );
  await expect((await collector({ rewards: () => [] })).take(1)).rejects.toThrow(
    /b: too many rollouts of a group failed/,
  );
});

test("as they come: a slow group does not hold up the batch and is in a later one", async () => {
  const source = await collector({ rewards: mixed, delayMs: ({ number }) => (number === 0 ? 60 : 1) }, { lead: 1 });
  const first = shown(await source.take(1));
  expect(first).toHaveLength(4);
  expect(first.join()).not.toMatch(/^0 |,0 /);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(shown(await source.take(2)).join()).toContain("0 trained");
});

test("groups that grew too old in the queue are dropped when the batch is cut", async () => {
  const source = await collector({ rewards: mixed, version: () => 0 }, { lead: 1 });
  expect(shown(await source.take(1)).every((line) => line.endsWith("trained"))).toBe(true);
  expect(shown(await source.take(2)).every((line) => line.endsWith("trained"))).toBe(true);
  await expect(source.take(3)).rejects.toThrow(/stale/);
});

test("kept per setting, groups that grew too old are trained on", async () => {
  const source = await collector({ rewards: mixed, version: () => 0 }, { lead: 1, stale: "keep" });
  for (const step of [1, 2, 3])
    expect(shown(await source.take(step)).every((line) => line.endsWith("trained"))).toBe(true);
});

test("a group that hangs until nothing of it could be trained on is given up, and counted as stale", async () => {
  const source = await collector({ rewards: mixed, hangs: ({ number }) => number === 0 }, { lead: 1 });
  const batches: string[][] = [];
  for (const step of [1, 2, 3]) batches.push(shown(await source.take(step)));
  expect(batches.map((lines) => lines.includes("0 stale"))).toEqual([false, false, true]);
  expect(batches.map((lines) => lines.filter((line) => line.endsWith("trained")).length)).toEqual([4, 4, 4]);
});

test("everything fails: the run stops soon and shows the most frequent failures, with counts and boundary", async () => {
  const failed = (env: string, boundary: string, message: string) =>
    ({ id: "r", env, failure: { boundary, code: "server", message, isRetryable: true } }) as unknown as Rollout;
  let groups = 0;
  const failures = ({ env }: Ticket) => {
    groups++;
    return [
      failed(env, "model", "refused"),
      failed(env, "model", "refused"),
      failed(env, "sandbox", "no room\nat all"),
    ];
  };
  const source = await collector({ rewards: () => [], failures });
  await expect(source.take(1)).rejects.toMatchObject({
    code: "all-failed",
    message: [
      "Every rollout fails: 36 of 36.",
      "  12 x a, at the model: refused (server)",
      "  12 x b, at the model: refused (server)",
      "  6 x a, at the sandbox: no room (server)",
      "  6 x b, at the sandbox: no room (server)",
    ].join("\n"),
  });
  expect(groups).toBeLessThan(4 * 4);
});

test("a signal ends the collecting with what there is, and what is under way can be taken back", async () => {
  const controller = new AbortController();
  const source = await collector(
    { rewards: mixed, hangs: ({ number }) => number > 1 },
    { lead: 1, signal: controller.signal },
  );
  const taking = source.take(1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  const { judged, isLast } = await taking;
  expect(judged.filter(({ verdict }) => verdict === "trained")).toHaveLength(2);
  expect(isLast).toBe(false);
  const left = await source.abandon();
  expect(left.length).toBeGreaterThan(0);
  expect(left.every(({ isShort }) => isShort)).toBe(true);
});

test("tickets under way are part of the state, and are dispatched again in order", async () => {
  const source = await collector({ rewards: mixed }, { lead: 1 });
  await source.take(1);
  const open = source.state() as unknown as readonly Ticket[];
  expect(open.length).toBeGreaterThan(0);
  const seen: number[] = [];
  const resumed = await collector({
    rewards: (ticket) => {
      seen.push(ticket.number);
      return mixed();
    },
  });
  await resumed.restore(JSON.parse(JSON.stringify(open)));
  await resumed.take(2);
  expect(seen.slice(0, open.length)).toEqual(open.map(({ number }) => number));
});

test("the last batch says that it is the last", async () => {
  const environments = [wordsEnvironment("a", 3)];
  const curriculum = await openCurriculum({ environments, difficulty: noDifficulty, seed: 0, epochs: 1 });
  const run = async (ticket: Ticket): Promise<FinishedGroup> => ({
    ticket: { ...ticket, group: "g" as GroupId, task: ticket.task },
    rollouts: [rollout(0, 0), rollout(1, 0)],
    failed: [],
    lost: [],
    isShort: false,
    attempt: 0,
    policyVersion: 0,
  });
  const source = new Collector({ curriculum, run, groupsPerBatch: 2, lead: 0, ...usual });
  expect(await source.take(1)).toMatchObject({ isLast: false, judged: [{}, {}] });
  expect(await source.take(2)).toMatchObject({ isLast: true, judged: [{}] });
});
