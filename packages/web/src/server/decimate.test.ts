import fc from "fast-check";
import { expect, test } from "vitest";
import { countsOf, endsOf, extremesOf, meansOf, toStretches } from "./decimate.ts";

test("stretches cover the rows without gap or overlap, and lines stay within their points", () => {
  const sizes = fc.record({ start: fc.nat(50), rows: fc.nat(500), points: fc.integer({ min: 3, max: 300 }) });
  fc.assert(
    fc.property(sizes, ({ start, rows, points }) => {
      const stretches = toStretches(start, start + rows, points);
      const cuts = [start, ...stretches.map(([, last]) => last)];
      expect(stretches.map(([first]) => first)).toEqual(cuts.slice(0, -1));
      expect(cuts.at(-1)).toBe(start + rows);
      expect(stretches.every(([first, last]) => last > first)).toBe(true);
      if (rows > 0) expect(stretches.at(-1)).toEqual([start + rows - 1, start + rows]);
      const steps = Array.from({ length: start + rows }, (_, index) => index);
      const ends = endsOf(steps, stretches);
      expect(ends.length).toBeLessThanOrEqual(points);
      expect(extremesOf(steps, stretches)).toHaveLength(ends.length);
      expect(meansOf(steps, stretches)).toHaveLength(ends.length);
    }),
  );
});

test("the greatest and the least value of all are among the points, whatever the points", () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 3, max: 50 }), (column, points) => {
      const drawn = extremesOf(column, toStretches(0, column.length, points));
      expect(drawn).toContain(Math.max(...column));
      expect(drawn).toContain(Math.min(...column));
    }),
  );
});

test("counts of a stretch are added up, and rows without any count for nothing", () => {
  expect(
    countsOf(
      [[1, 2], undefined, [3, 4]],
      [
        [0, 2],
        [2, 3],
      ],
    ),
  ).toEqual([
    [1, 2],
    [3, 4],
  ]);
});
