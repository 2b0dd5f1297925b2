import { scriptedModel } from "@hone/core/testing";
import { expect, test } from "vitest";
import { type Blocked, defineEnvironment, EventLoopWatchdog } from "../index.ts";
import { runOnce } from "../testing/run-once.ts";

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
const model = scriptedModel(() => "hi");
const base = { name: "heavy", tasks: [{ n: 1 }], prompt: () => "go" };

test("names the environment and the reward that held the event loop", async () => {
  const reports: Blocked[] = [];
  using watchdog = new EventLoopWatchdog({ thresholdMs: 20, report: (blocked) => reports.push(blocked) });
  const environment = defineEnvironment({ ...base, rewards: { slow: () => (block(40), 1), quick: () => 1 } });
  await runOnce(environment, { model, watchdog });
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatchObject({ envs: ["heavy"], where: ["reward slow"] });
  expect(reports[0]?.durationMs).toBeGreaterThanOrEqual(40);
});

test("a block after an await is attributed to the call that was open", async () => {
  const reports: Blocked[] = [];
  using watchdog = new EventLoopWatchdog({ thresholdMs: 200, report: (blocked) => reports.push(blocked) });
  const respond = async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    block(500);
    await new Promise((resolve) => setTimeout(resolve, 60));
    return "again";
  };
  const environment = defineEnvironment({ ...base, respond, maxTurns: 1, rewards: {} });
  await runOnce(environment, { model, watchdog });
  const found = reports.filter(({ durationMs }) => durationMs > 400);
  expect(found).toMatchObject([{ envs: ["heavy"], where: ["respond"] }]);
});

test("waiting is not blocking", async () => {
  const reports: Blocked[] = [];
  using watchdog = new EventLoopWatchdog({ thresholdMs: 1000, report: (blocked) => reports.push(blocked) });
  const score = () => new Promise<number>((resolve) => setTimeout(resolve, 120, 1));
  await runOnce(defineEnvironment({ ...base, rewards: { patient: score } }), { model, watchdog });
  expect(reports).toEqual([]);
});
