import { expect, test } from "vitest";
import { Limiter, limitFor } from "./limiter.ts";

const signal = new AbortController().signal;
function gate() {
  let open: () => void = () => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}

test("no more than the limit run at once, the others in order", async () => {
  const limiter = new Limiter(2);
  const gates = Array.from({ length: 5 }, gate);
  const log: string[] = [];
  const done = gates.map(({ wait }, index) =>
    limiter.run(async () => {
      log.push(`start ${index}`);
      await wait;
    }, signal),
  );
  await new Promise(setImmediate);
  expect(log).toEqual(["start 0", "start 1"]);
  gates[1]?.open();
  await new Promise(setImmediate);
  expect(log).toEqual(["start 0", "start 1", "start 2"]);
  limiter.limit = 4;
  await new Promise(setImmediate);
  expect(log).toHaveLength(5);
  for (const { open } of gates) open();
  await Promise.all(done);
});

test("waiting ends with the signal, and the place is free again", async () => {
  const limiter = new Limiter(1);
  const controller = new AbortController();
  const { wait, open } = gate();
  const first = limiter.run(() => wait, signal);
  const second = limiter.run(async () => "ran", controller.signal);
  controller.abort(new Error("stop"));
  await expect(second).rejects.toThrow("stop");
  open();
  await first;
  expect(await limiter.run(async () => "ran", signal)).toBe("ran");
});

test("without anybody waiting the limit does not grow; with somebody it follows the engine", async () => {
  const limiter = new Limiter(2);
  const idle = { running: 0, queued: 0, capacity: 64 };
  limiter.adapt(idle);
  expect(limiter.limit).toBe(2);
  const gates = Array.from({ length: 9 }, gate);
  const done = gates.map(({ wait }) => limiter.run(() => wait, signal));
  limiter.adapt(idle);
  expect(limiter.limit).toBe(3);
  limiter.adapt(idle);
  expect(limiter.limit).toBe(4);
  limiter.adapt({ running: 4, queued: 40, capacity: 64 });
  expect(limiter.limit).toBe(3);
  for (const { open } of gates) open();
  await Promise.all(done);
  for (let round = 0; round < 5; round++) limiter.adapt(idle);
  expect(limiter.limit).toBe(4);
});

test("the limit grows while the engine has room and shrinks when it queues", () => {
  expect(limitFor({ running: 0, queued: 0, capacity: 64 }, 8)).toBe(10);
  expect(limitFor({ running: 64, queued: 0, capacity: 64 }, 80)).toBe(80);
  expect(limitFor({ running: 64, queued: 40, capacity: 64 }, 80)).toBe(64);
  expect(limitFor({ running: 1, queued: 9, capacity: 1 }, 1)).toBe(1);
  // Rollouts that are with their tools leave the engine idle: more of them are needed to fill it.
  expect(limitFor({ running: 10, queued: 0, capacity: 64 }, 80)).toBe(100);
  expect(limitFor({ running: 64, queued: 8, capacity: 64 }, 100)).toBe(100);
});
