import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

const never = new AbortController().signal;
const long = 60_000;

test("turns come one at a time, in the order of asking", async () => {
  const turns = new Turns();
  const order: number[] = [];
  const work = async (index: number): Promise<void> => {
    const turn = await turns.take(long, never);
    order.push(index);
    await Promise.resolve();
    order.push(index);
    turn?.end();
  };
  await Promise.all([work(1), work(2), work(3)]);
  expect(order).toEqual([1, 1, 2, 2, 3, 3]);
  expect(turns.takeNow()).toBeDefined();
});

test("who waits too long or is called off gets none, and does not hold up the others", async () => {
  const turns = new Turns();
  const first = turns.takeNow();
  expect(turns.takeNow()).toBeUndefined();
  const controller = new AbortController();
  const late = turns.take(1, never);
  const calledOff = turns.take(long, controller.signal);
  const third = turns.take(long, never);
  controller.abort();
  expect([await late, await calledOff]).toEqual([undefined, undefined]);
  first?.end();
  first?.end();
  expect(await third).toBeDefined();
  expect(turns.takeNow()).toBeUndefined();
});
