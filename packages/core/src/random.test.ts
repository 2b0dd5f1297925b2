import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, type Random, seedFrom } from "./random.ts";

const draw = (random: Random, count = 8): number[] => Array.from({ length: count }, () => random.next());

describe("createRandom", () => {
  test("the same seed gives the same numbers, on every machine", () => {
    expect(draw(createRandom(7))).toEqual(draw(createRandom(7)));
    expect(draw(createRandom(7))).toEqual(draw(createRandom("7")));
    expect(draw(createRandom(7))).not.toEqual(draw(createRandom(8)));
    expect(draw(createRandom(1), 3)).toEqual([0.4143971602898091, 0.52900938433595, 0.6057833309751004]);
  });

  test("numbers are in [0, 1) and spread evenly", () => {
    const numbers = draw(createRandom("spread"), 20_000);
    expect(numbers.every((value) => value >= 0 && value < 1)).toBe(true);
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = numbers.filter((value) => Math.floor(value * 10) === tenth).length / numbers.length;
      expect(Math.abs(share - 0.1)).toBeLessThan(0.01);
    }
  });

  test("a fork has its own numbers and takes none from its parent", () => {
    const parent = createRandom(1);
    const fork = parent.fork("a");
    draw(fork, 100);
    expect(draw(parent)).toEqual(draw(createRandom(1)));
    expect(draw(createRandom(1).fork("a"))).toEqual(draw(parent.fork("a")));
    const streams = [createRandom(1), fork, parent.fork("b"), parent.fork("a").fork("b"), parent.fork("a/b")];
    expect(new Set(streams.map((stream) => draw(stream).join())).size).toBe(streams.length);
  });

  test("whole numbers stay below their limit and reach it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer(), (below, seed) => {
        const value = createRandom(seed).integer(below);
        expect(Number.isInteger(value) && value >= 0 && value < below).toBe(true);
      }),
    );
    const random = createRandom(1);
    expect(new Set(Array.from({ length: 100 }, () => random.integer(3)))).toEqual(new Set([0, 1, 2]));
  });

  test("a shuffle is a permutation, and leaves what it was given", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const before = [...items];
        const shuffled = createRandom(seed).shuffle(items);
        expect(items).toEqual(before);
        const inOrder = (a: number, b: number): number => a - b;
        expect(shuffled.sort(inOrder)).toEqual(before.sort(inOrder));
        expect(createRandom(seed).shuffle(items)).toEqual(createRandom(seed).shuffle(items));
      }),
    );
  });

  test("every order of three comes up about as often", () => {
    const random = createRandom("orders");
    const counts = new Map<string, number>();
    for (let round = 0; round < 6000; round++) {
      const order = random.shuffle(["a", "b", "c"]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test("picking gives one of the items; from nothing it is an error", () => {
    const random = createRandom(1);
    expect(new Set(Array.from({ length: 100 }, () => random.pick(["x", "y"])))).toEqual(new Set(["x", "y"]));
    expect(() => random.pick([])).toThrow(RangeError);
  });
});

test("a seed from parts is a whole number of 31 bits that tells parts apart", () => {
  expect(seedFrom("run", 1, 2)).toBe(seedFrom("run", 1, 2));
  const seeds = [seedFrom("run", 1, 2), seedFrom("run", 12), seedFrom("run", 2, 1), seedFrom("run1", 2), seedFrom()];
  expect(new Set(seeds).size).toBe(seeds.length);
  for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
});
