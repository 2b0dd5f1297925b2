import { expect, test } from "vitest";
import { tasksetFrom } from "./taskset.ts";

test("a set of unknown size is not shuffled beyond a million rows", async () => {
  let pulled = 0;
  const tasks = tasksetFrom(function* () {
    for (;;) yield { id: pulled++ };
  });
  const reading = async (): Promise<void> => {
    for await (const _task of tasks.shuffle(1)) break;
  };
  await expect(reading()).rejects.toThrow("More than 1,000,000 tasks arrived to be shuffled.");
  expect(pulled).toBe(1_000_001);
});
