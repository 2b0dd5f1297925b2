import { expect, test } from "vitest";
import { age, bytes, decimal, interval, plural, seconds } from "./words.ts";

test("times are told in the unit that people would use", () => {
  expect([0.2, 89, 90, 5400, 7500].map(seconds)).toEqual(["1 s", "89 s", "2 min", "1 h 30 min", "2 h 5 min"]);
  expect([12_000, 7_200_000, 200_000_000].map(age)).toEqual(["12 s", "2 h", "2 days"]);
});
test("numbers that are not there are a dash or nothing", () => {
  expect([
    decimal(0.41249),
    decimal(undefined),
    decimal(Number.NaN),
    interval([0.1, 0.25]),
    interval(undefined),
  ]).toEqual(["0.412", "-", "-", "0.10 to 0.25", ""]);
  expect([plural(1, "step"), plural(2000, "step")]).toEqual(["1 step", "2,000 steps"]);
  expect([12, 4_600_000, 12_300_000_000].map(bytes)).toEqual(["12 B", "4.6 MB", "12.3 GB"]);
});
