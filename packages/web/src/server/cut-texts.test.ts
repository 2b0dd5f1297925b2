import fc from "fast-check";
import { expect, test } from "vitest";
import { cutTexts, textAt } from "./cut-texts.ts";

test("every text that was cut can be had by its place, whatever its keys are", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 6 }), fc.array(fc.string({ maxLength: 12 }))), (value) => {
      const { value: short, cuts } = cutTexts(value, 4);
      for (const [place, length] of Object.entries(cuts)) {
        const whole = textAt(value, place) ?? "";
        expect([whole.length, whole.startsWith(textAt(short, place) ?? "-")]).toEqual([length, true]);
      }
      expect(Object.keys(cuts)).toHaveLength(
        Object.values(value)
          .flat()
          .filter((text) => text.length > 4).length,
      );
    }),
  );
});

test("a pair of surrogates is not torn apart", () => {
  expect(cutTexts("abc👍", 4)).toEqual({ value: "abc", cuts: { "": 5 } });
});
