import { scriptedModel } from "@hone/core/testing";
import { expect, test } from "vitest";
import { defineEnvironment } from "../index.ts";
import { firstTask, runOnce } from "../testing/run-once.ts";

test("thousands of rollouts that never wait let the event loop turn", async () => {
  const environment = defineEnvironment({ name: "x", tasks: [{ n: 1 }], prompt: () => "go", rewards: { r: () => 1 } });
  const task = await firstTask(environment);
  const model = scriptedModel(() => "ok");
  let turns = 0;
  let isRunning = true;
  const count = (): void => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 2000 }, (_, index) => runOnce(environment, { model, task, index })));
  isRunning = false;
  expect(turns).toBeGreaterThan(3);
});
