// Mistakes that graders of answers are known to make, this one's forerunner included.
import { expect, test } from "vitest";
import { mathEqual } from "./equal.ts";

/** The lines "answer | gold" that are not judged as expected. */
function wrongly(expected: boolean, ...lines: readonly string[]): string[] {
  return lines.filter((line) => {
    const [answer = "", gold = ""] = line.split(" | ");
    return mathEqual(answer, gold) !== expected;
  });
}

test("the order of a complex number's parts does not count", () => {
  expect(wrongly(true, "1+2i | 2 i + 1", "2i+1 | 1 + 2 i", "-i+3 | 3-i")).toEqual([]);
});

test("8.49e-4 is a power of ten, not a multiple of e", () => {
  expect(
    wrongly(
      true,
      "8.49e-4 | 0.000849",
      "8.49 \\times 10^{-4} | 8.49e-4",
      "1.5e3 | 1500",
      "6.02e23 | 6.02 \\cdot 10^{23}",
    ),
  ).toEqual([]);
  expect(wrongly(false, "8.49e-4 | 8.49e", "8.49e-4 | 19.08")).toEqual([]);
});

test("a letter that looks like a unit still counts", () => {
  expect(wrongly(false, "4t | 4", "4 | 4t", "4h | 4", "4d | 4", "4o | 4", "4p^2 | 4", "4p^2} | 4")).toEqual([]);
});

test("factorials too long for a double are told apart", () => {
  expect(wrongly(false, "\\frac{1}{2004!} | \\frac{1}{2006!}", "2004! | 2006!", "\\frac{1}{2004!} | 0")).toEqual([]);
  expect(mathEqual("\\frac{2005}{2005!}", "\\frac{1}{2004!}")).toBe(true);
});

test("the base of a numeral counts", () => {
  expect(wrongly(false, "1010_2 | 1010_3", "1010_2 | 1010", "25_6 | 25_7")).toEqual([]);
  expect(wrongly(true, "1010_2 | 10", "101_3 | 1010_2")).toEqual([]);
});

test("two unions that reach to infinity are not equal for that reason", () => {
  expect(
    wrongly(
      false,
      "(-\\infty, 1) \\cup (2, \\infty) | (-\\infty, 3) \\cup (4, \\infty)",
      "(1, \\infty) | (2, \\infty)",
      "\\infty | -\\infty",
    ),
  ).toEqual([]);
});

test("a list of points is not a union of intervals", () => {
  expect(wrongly(false, "(1,3),(2,4) | (1,2),(3,4)", "(1,4),(2,3) | (1,3),(2,4)", "(1,2),(2,3) | (1,3)")).toEqual([]);
});

test("a number in brackets before a fraction multiplies it", () => {
  expect(mathEqual("(-1)\\frac12", "-\\frac12")).toBe(true);
  expect(mathEqual("(-1)\\frac12", "-\\frac32")).toBe(false);
  expect(mathEqual("(2)\\frac12", "2\\frac12")).toBe(false);
});

test("what is read twice is read alike", () => {
  expect(
    wrongly(
      true,
      "x(\\frac12+x(\\frac34+\\log_28)) | x(\\frac{1}{2}+x(\\frac{3}{4}+\\log_{2} 8))",
      "y(\\frac12,\\frac34) | y(0.5,0.75)",
    ),
  ).toEqual([]);
});

test("powers that run out of the range of doubles are told apart", () => {
  expect(
    wrongly(false, "(x+1)^{1000000} | (x+1)^{1000001}", "0.5^{5000}x | 0.5^{5001}x", "e^{-2000}x | e^{-2001}x"),
  ).toEqual([]);
});

test("repeating decimals are fractions", () => {
  expect(wrongly(true, "0.\\overline{3} | \\frac13", "0.1\\overline{6} | 1/6", "0.(27) | \\frac{3}{11}")).toEqual([]);
});

test("sets by condition, dates over several \\text, times with and without a.m. are understood", () => {
  expect(
    wrongly(
      true,
      "\\{x|x>3\\} | (3, \\infty)",
      "\\text{March }5 | March 5",
      "\\text{March}\\ 5 | 5 March",
      "3:30\\text{ PM} | 3:30 p.m.",
      "3:30 | 3:30 PM",
    ),
  ).toEqual([]);
});

test("integrals, limits, derivatives and degrees in trigonometry have values", () => {
  expect(
    wrongly(
      true,
      "\\int_0^1 2x\\,dx | 1",
      "\\lim_{x\\to 2} (x+1) | 3",
      "\\frac{d}{dx}(x^2+1) | 2x",
      "\\sin 30^\\circ | 0.5",
      "\\tan 60^{\\circ} | \\sqrt3",
    ),
  ).toEqual([]);
});

test("what doubles cannot tell apart is told apart", () => {
  expect(
    wrongly(
      false,
      "\\sqrt{10^{20}+1} | 10^{10}",
      "e^{\\pi\\sqrt{163}} | 262537412640768744",
      "\\sqrt{2}+10^{-30} | \\sqrt2",
    ),
  ).toEqual([]);
});

test("an implication is not its second half", () => {
  expect(mathEqual("p \\implies q", "q")).toBe(false);
  expect(mathEqual("p \\Rightarrow q", "p \\implies q")).toBe(true);
});

test("units of one kind are converted, units of different kinds differ", () => {
  expect(
    wrongly(false, "5\\text{ cm}^2 | 5\\text{ cm}^3", "5\\text{ cm} | 5\\text{ kg}", "5\\text{ cm} | 5\\text{ m}"),
  ).toEqual([]);
  expect(mathEqual("5\\text{ m}", "500\\text{ cm}")).toBe(true);
});

test("a word is not its anagram", () => {
  expect(wrongly(false, "east | seat", "\\text{listen} | silent")).toEqual([]);
});

test("an empty answer equals nothing, and an answer beyond the bounds neither", () => {
  const long = "7".repeat(50_001);
  for (const [answer, gold] of [
    ["", ""],
    ["", "5"],
    ["  ", "  "],
    ["5", ""],
    ["$$", "5"],
    [long, long],
  ] as const)
    expect(mathEqual(answer, gold)).toBe(false);
});

test("options that make no sense are refused", () => {
  expect(() => mathEqual("1", "1", { precision: -1 })).toThrow(RangeError);
  expect(() => mathEqual("1", "1", { precision: 2.5 })).toThrow(RangeError);
});
