import { expect, test } from "vitest";
import { brokenLimit, nextLookMs } from "./usage.ts";

const limits = { memoryMb: 1000, diskMb: 10, processes: 10 };
const usage = (memoryMb: number, files = 0) => ({ processes: 2, memoryBytes: memoryMb * 2 ** 20, files });

test("memory above the limit is told", () => {
  expect(brokenLimit(usage(1000), limits, 0)).toBeUndefined();
  expect(brokenLimit(usage(1001), limits, 0)).toContain("1000 MB of memory");
});

test("too many files are told while they become more, so that they can be removed", () => {
  expect(brokenLimit(usage(0, 10_240), limits, 0)).toBeUndefined();
  expect(brokenLimit(usage(0, 10_241), limits, 0)).toContain("10240 files");
  expect(brokenLimit(usage(0, 10_241), limits, 10_241)).toBeUndefined();
});

test("the nearer the limit, the sooner the next look", () => {
  expect(nextLookMs(undefined, limits)).toBe(250);
  expect(nextLookMs(usage(500), limits)).toBeLessThan(200);
  expect(nextLookMs(usage(999), limits)).toBe(15);
  expect(nextLookMs(usage(5000), limits)).toBe(15);
});
