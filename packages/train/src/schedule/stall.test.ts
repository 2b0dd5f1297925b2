import { expect, test } from "vitest";
import { Activity, type Part } from "./activity.ts";
import { type Stall, StallWatch } from "./stall.ts";

function watched({ queued = 0 } = {}) {
  let nowMs = 0;
  const stalls: Stall[] = [];
  const activity = new Activity(() => nowMs);
  const watch = new StallWatch({
    activity,
    pressure: () => ({ running: 4, queued, capacity: 4 }),
    afterMs: 60_000,
    report: (stall) => stalls.push(stall),
    now: () => nowMs,
  });
  return {
    watch,
    stalls,
    activity,
    /** Time passes, looked at every second. */
    pass: (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        nowMs += 1000;
        watch.look();
      }
    },
    /** Rollouts that are in this part and do not come back. */
    hang: (env: string, count: number, part?: Part, what = "") => {
      for (let index = 0; index < count; index++) {
        const rollout = activity.begin(env);
        if (part === undefined) continue;
        rollout.start();
        void rollout.during(part, what, () => new Promise(() => undefined));
      }
    },
  };
}

test("after a while of silence the run says which environment waits for which part, and how many", () => {
  const { watch, stalls, pass, hang } = watched();
  hang("search", 12, "tool", "tool search");
  hang("search", 4);
  hang("math", 3, "model", "the model");
  watch.waitFor("rollouts");
  pass(59);
  expect(stalls).toEqual([]);
  pass(1);
  expect(stalls).toEqual([
    {
      part: "tool",
      env: "search",
      seconds: 60,
      waiting: { search: { "tool search": 12, "a place": 4 }, math: { "the model": 3 } },
      message: "Nothing has arrived for 60 s: 12 of 16 rollouts of search wait for tool search, the longest for 60 s.",
    },
  ]);
});

test("it says so again with growing gaps, and starts anew when something arrives", () => {
  const { watch, stalls, pass, hang } = watched();
  hang("search", 1, "reward", "reward correct");
  watch.waitFor("rollouts");
  pass(600);
  expect(stalls.map(({ seconds }) => seconds)).toEqual([60, 120, 240, 480]);
  watch.arrived();
  pass(60);
  expect(stalls.at(-1)?.seconds).toBe(60);
});

test("a model that does not answer because the engine is full is the engine's queue", () => {
  const { watch, stalls, pass, hang } = watched({ queued: 9 });
  hang("math", 13, "model", "the model");
  watch.waitFor("rollouts");
  pass(60);
  expect(stalls[0]).toMatchObject({ part: "engine queue", env: "math" });
  expect(stalls[0]?.message).toContain("in the engine's queue (4 running, 9 queued, room for 4)");
});

test("without rollouts under way it is the tasks that do not come", () => {
  const { watch, stalls, pass } = watched();
  watch.waitFor("rollouts");
  pass(60);
  expect(stalls[0]).toMatchObject({ part: "environment", waiting: {} });
  expect(stalls[0]?.message).toContain("the tasks do not come");
});

test("an update and scores that do not end are named; while nothing is owed, silence is no stall", () => {
  const { watch, stalls, pass } = watched();
  pass(100);
  watch.waitFor("update");
  pass(60);
  watch.waitFor("scores");
  pass(60);
  watch.waitFor(undefined);
  pass(500);
  expect(stalls.map(({ part, message }) => `${part}: ${message}`)).toEqual([
    "update: The update has not ended after 60 s.",
    "scores: Scoring by the reference or teacher has not ended after 60 s.",
  ]);
});
