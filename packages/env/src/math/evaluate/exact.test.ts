import { expect, test } from "vitest";
import { Work } from "../bounds.ts";
import { readAnswer } from "../read.ts";
import { firstReading } from "../scan/token.ts";
import { exactValue } from "./exact.ts";
import { fieldValue } from "./field.ts";

function valueOf(text: string): string | undefined {
  const node = readAnswer(text, firstReading, new Work());
  const value = node && exactValue(node, new Work());
  return value && `${value.numerator}/${value.denominator}`;
}

test("what has a fraction as its value is worked out", () => {
  const values = {
    "2^{10}": "1024/1",
    "\\sqrt{\\frac{4}{9}}": "2/3",
    "8^{-2/3}": "1/4",
    "\\sqrt[3]{-27}": "-3/1",
    "5!": "120/1",
  };
  for (const [text, value] of Object.entries(values)) expect(valueOf(text)).toBe(value);
  expect(valueOf("\\binom{40}{38}")).toBe("780/1");
  expect(valueOf("\\binom{3}{5}")).toBe("0/1");
  expect(valueOf("\\log_{\\frac12} 8")).toBe("-3/1");
  expect(valueOf("\\sum_{k=1}^{4} \\frac{1}{k}")).toBe("25/12");
  expect(valueOf("\\begin{vmatrix} 0 & 2 & 1 \\\\ 1 & 0 & 3 \\\\ 2 & 1 & 0 \\end{vmatrix}")).toBe("13/1");
  expect(valueOf("\\lfloor -\\frac{7}{2} \\rfloor")).toBe("-4/1");
  expect(valueOf("-17 \\bmod 5")).toBe("3/1");
});

test("what has none, or too long a one, is not", () => {
  for (const text of [
    "\\sqrt{2}",
    "\\pi",
    "x",
    "\\frac{1}{0}",
    "0^{-1}",
    "\\sqrt{-4}",
    "7^{10^{9}}",
    "5000!",
    "(-1)!",
    "(1/2)!",
  ])
    expect(valueOf(text)).toBeUndefined();
});

test("a value that is too long is still known modulo a prime", () => {
  const modular = (text: string): bigint | undefined => {
    const node = readAnswer(text, firstReading, new Work());
    return node && fieldValue(node, new Map([["x", 123456789n]]), new Work());
  };
  expect(modular("7^{10^{9}}")).toBe(modular("7 \\cdot 7^{10^{9} - 1}"));
  expect(modular("7^{10^{9}}")).not.toBe(modular("7^{10^{9} - 1}"));
  expect(modular("(x+1)^{10^{9}}")).toBe(modular("(1+x)(1+x)^{10^{9}-1}"));
  expect(modular("i^2")).toBe(modular("-1"));
  expect(modular("\\sqrt{2}")).toBeUndefined();
  expect(modular("\\frac{1}{x-x}")).toBeUndefined();
});
