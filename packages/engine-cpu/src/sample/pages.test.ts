// Pages: found again by what they hold, forgotten oldest first, never while somebody uses them.
import { createRandom } from "@hone/core";
import { expect, test } from "vitest";
import { pageKey, PagePool } from "./pages.ts";

const keyOf = (parent: number | string, ...tokens: number[]): string => pageKey(parent, Int32Array.from(tokens));
const taken = (pool: PagePool): number => {
  const page = pool.take();
  if (page === undefined) throw new Error("no page");
  return page;
};

test("a full page is found by policy and tokens, and by nothing else", () => {
  const pool = new PagePool(4);
  const first = pool.publish(taken(pool), keyOf("policy 1", 1, 2));
  const second = pool.publish(taken(pool), keyOf(pool.identity(first), 1, 2));
  expect(pool.find(keyOf("policy 1", 1, 2))).toBe(first);
  expect(pool.find(keyOf(pool.identity(first), 1, 2))).toBe(second);
  for (const key of [keyOf("policy 2", 1, 2), keyOf("policy 1", 12), keyOf(pool.identity(second), 1, 2)])
    expect(pool.find(key)).toBeUndefined();
});

test("a page that equals a known one is given up for it", () => {
  const pool = new PagePool(2);
  const first = pool.publish(taken(pool), keyOf("p", 7));
  expect(pool.publish(taken(pool), keyOf("p", 7))).toBe(first);
  expect(pool.available).toBe(1);
  pool.giveBack(first);
  expect(pool.available).toBe(1);
  pool.giveBack(first);
  expect(pool.available).toBe(2);
});

test("what was given back longest ago is forgotten first; what is in use never", () => {
  const pool = new PagePool(3);
  const pages = [1, 2, 3].map((token) => pool.publish(taken(pool), keyOf("p", token)));
  expect(pool.take()).toBeUndefined();
  for (const page of [pages[1], pages[0]]) pool.giveBack(page ?? -1);
  expect(pool.findUsed(keyOf("p", 1))).toBeUndefined();
  expect(pool.take()).toBe(pages[1]);
  expect(pool.find(keyOf("p", 2))).toBeUndefined();
  expect(pool.find(keyOf("p", 1))).toBe(pages[0]);
  expect(pool.findUsed(keyOf("p", 3))).toBe(pages[2]);
  expect(pool.take()).toBeUndefined();
});

test("after any history every page is either used, known or free", () => {
  const random = createRandom("history");
  const pool = new PagePool(9);
  const held: number[] = [];
  for (let move = 0; move < 3000; move++) {
    const choice = random.integer(4);
    const key = keyOf("p", random.integer(12));
    const page = choice === 0 ? pool.take() : choice === 1 ? pool.find(key) : undefined;
    if (page !== undefined) held.push(choice === 0 && random.next() < 0.7 ? pool.publish(page, key) : page);
    if (choice > 1 && held.length > 0) pool.giveBack(held.splice(random.integer(held.length), 1)[0] ?? -1);
    expect(pool.available).toBe(9 - new Set(held).size);
  }
});
