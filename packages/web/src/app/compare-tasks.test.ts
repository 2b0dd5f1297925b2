import { expect, test } from "vitest";
import { compareTasks } from "./compare-tasks.ts";

const task = (taskId: string, reward: number | null, env = "words") => ({ env, taskId, rollouts: 1, reward });

test("what was gained and lost, the largest change first; what only one has is not compared", () => {
  const before = [task("a", 0), task("b", 1), task("c", 0.5), task("d", 0.5), task("f", null)];
  const after = [task("a", 0.25), task("b", 0), task("c", 0.5), task("e", 1), task("d", 0.5, "other"), task("f", 1)];
  expect(compareTasks(before, after)).toEqual({
    changes: [
      { env: "words", taskId: "b", from: 1, to: 0, change: -1 },
      { env: "words", taskId: "a", from: 0, to: 0.25, change: 0.25 },
    ],
    gained: 1,
    lost: 1,
    same: 1,
    alone: 4,
    mean: {
      change: -0.25,
      interval: [expect.closeTo(-0.25 - 1.96 * 0.3819, 3), expect.closeTo(-0.25 + 1.96 * 0.3819, 3)],
    },
  });
  expect(compareTasks([task("a", 0)], [task("a", 1)]).mean).toEqual({ change: 1, interval: null });
  expect(compareTasks([task("a", 0)], [task("b", 1)]).mean).toBeNull();
});
