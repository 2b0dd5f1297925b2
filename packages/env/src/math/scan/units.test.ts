import { expect, test } from "vitest";
import { readUnit, sameDimensions, type Unit } from "./units.ts";

function unit(text: string): Unit {
  const found = readUnit(text);
  if (found === undefined) throw new Error(`${text} is no unit`);
  return found;
}
const size = (text: string): string => `${unit(text).size.numerator}/${unit(text).size.denominator}`;

test("units of one kind differ in size only", () => {
  expect(sameDimensions(unit("cm"), unit("miles"))).toBe(true);
  expect(size("km")).toBe("1000/1");
  expect(size("inches")).toBe("127/5000");
});

test("squares, cubes and quotients are kinds of their own", () => {
  expect(sameDimensions(unit("square feet"), unit("ft^2"))).toBe(true);
  expect(size("square feet")).toBe(size("ft^2"));
  expect(sameDimensions(unit("cm^2"), unit("cm^3"))).toBe(false);
  expect(sameDimensions(unit("miles per hour"), unit("km/h"))).toBe(true);
  expect(size("mph")).toBe(size("miles per hour"));
  expect(sameDimensions(unit("km"), unit("km/h"))).toBe(false);
});

test("words that are no units are none", () => {
  for (const word of ["apples", "ways", "square units", "", "more"]) expect(readUnit(word)).toBeUndefined();
});
