import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  areEqualSets,
  combineSets,
  isEmptySet,
  type Point,
  type RealSet,
  ray,
  simplified,
  single,
  wholeLine,
} from "./real-set.ts";

type Line = RealSet<never>;
const at = (position: number): Point<never> => ({ position, node: undefined });
const same = (a: Point<never>, b: Point<never>): boolean => a.position === b.position;

/** Membership by looking the number up. */
function has(set: Line, x: number): boolean {
  const index = set.points.findIndex(({ position }) => position >= x);
  if (index !== -1 && set.points[index]?.position === x) return set.on[index] ?? false;
  return set.between[index === -1 ? set.points.length : index] ?? false;
}

const end = fc.integer({ min: -5, max: 5 });
const piece = fc.oneof(
  end.map((x): Line => single(at(x))),
  fc
    .tuple(end, fc.boolean(), fc.boolean())
    .map(([x, isUp, isClosed]): Line => ray(at(x), isUp ? "above" : "below", isClosed)),
  fc.boolean().map((isIn): Line => wholeLine(isIn)),
);
const operator = fc.constantFrom("union" as const, "intersection" as const, "minus" as const);
const set = fc
  .array(fc.tuple(operator, piece), { maxLength: 6 })
  .map((steps) =>
    steps.reduce<Line>((all, [operation, next]) => combineSets(operation, all, next, same), wholeLine(false)),
  );
const probes = Array.from({ length: 25 }, (_, index) => -6 + index / 2);

test("union, intersection and difference hold for every number", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      for (const x of probes) {
        expect(has(combineSets("union", a, b, same), x)).toBe(has(a, x) || has(b, x));
        expect(has(combineSets("intersection", a, b, same), x)).toBe(has(a, x) && has(b, x));
        expect(has(combineSets("minus", a, b, same), x)).toBe(has(a, x) && !has(b, x));
      }
    }),
    { numRuns: 200 },
  );
});

test("two sets are equal exactly when they hold the same numbers", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      expect(areEqualSets(a, b, same)).toBe(probes.every((x) => has(a, x) === has(b, x)));
    }),
    { numRuns: 300 },
  );
});

test("a set without numbers is empty, and simplifying changes nothing", () => {
  fc.assert(
    fc.property(set, (a) => {
      expect(isEmptySet(a)).toBe(!probes.some((x) => has(a, x)));
      expect(areEqualSets(a, simplified(a), same)).toBe(true);
    }),
  );
});
