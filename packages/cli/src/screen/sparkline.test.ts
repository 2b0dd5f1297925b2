import fc from "fast-check";
import { expect, test } from "vitest";
import { sparkline } from "./sparkline.ts";

test("a rising curve climbs from the lowest to the highest mark", () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], { width: 8 })).toBe("▁▂▃▄▅▆▇█");
});
test("a curve without a slope, and one point, lie at the bottom; nothing is nothing", () => {
  expect(sparkline([0.5, 0.5, 0.5], { width: 8 })).toBe("▁▁▁");
  expect(sparkline([], { width: 8 })).toBe("");
});
test("whatever the values, it is never wider than asked for", () => {
  fc.assert(
    fc.property(fc.array(fc.double(), { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (values, width) => {
      const drawn = [...sparkline(values, { width })];
      expect(drawn.length).toBe(Math.min(values.filter(Number.isFinite).length, width));
      expect(drawn.every((mark) => "▁▂▃▄▅▆▇█".includes(mark))).toBe(true);
    }),
  );
});
