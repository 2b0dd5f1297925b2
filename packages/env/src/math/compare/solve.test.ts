import { expect, test } from "vitest";
import { Work } from "../bounds.ts";
import { readAnswer } from "../read.ts";
import { firstReading } from "../scan/token.ts";
import { zerosOf } from "./solve.ts";

const round = (x: number): number => Math.round(x * 1e6) / 1e6;

function zeros(text: string): { position: number; isJump: boolean }[] {
  const node = readAnswer(text, firstReading, new Work());
  if (node === undefined) throw new Error(`cannot read ${text}`);
  return zerosOf(node, "x", new Work()).map(({ position, isJump }) => ({
    position: round(position),
    isJump,
  }));
}
const at = (...positions: number[]): object[] => positions.map((position) => ({ position, isJump: false }));

test("lines and parabolas are solved exactly", () => {
  expect(zeros("3x - 1")).toEqual(at(0.333333));
  expect(zeros("x^2 - 5x + 6")).toEqual(at(2, 3));
  expect(zeros("6 - x - x^2")).toEqual(at(-3, 2));
  expect(zeros("x^2 - 2")).toEqual(at(-round(Math.SQRT2), round(Math.SQRT2)));
  expect(zeros("x^2 - 10^{8}x")).toEqual(at(0, 100_000_000));
  expect(zeros("(x-1)^2")).toEqual(at(1));
  expect(zeros("x^2 + 1")).toEqual([]);
});

test("other functions are solved where they change sign or touch the axis", () => {
  expect(zeros("x^3 - x")).toEqual(at(-1, 0, 1));
  expect(zeros("e^x - 2")).toEqual(at(round(Math.LN2)));
  expect(zeros("(x-2)^2 (x+3)")).toEqual(at(-3, 2));
  expect(zeros("|x| - 3")).toEqual(at(-3, 3));
  expect(zeros("\\sqrt{x} - 40")).toEqual(expect.arrayContaining(at(1600)));
});

test("a pole is not a zero", () => {
  expect(zeros("\\frac{1}{x - 2}")).toEqual([{ position: 2, isJump: true }]);
});
