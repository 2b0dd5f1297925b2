// Halves: every bit pattern of both formats, on every build.
import { afterAll, describe, expect, test } from "vitest";
import { kernelsOf } from "./kernels.ts";
import { referenceConvert } from "./reference/optimizer.ts";
import { buildsHere } from "./testing/builds.ts";

const all = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
const same = (a: Float32Array, b: Float32Array): boolean => a.every((value, index) => Object.is(value, b[index]));

describe.each(buildsHere())("on $name", ({ open }) => {
  const { convert, memory, close } = kernelsOf(open(1));
  afterAll(() => close());
  const halves = memory.halves(65_536);
  const floats = memory.floats(65_536);

  test.each([
    ["bfloat16", "fromBfloat16", "toBfloat16", 0x7f80],
    ["float16", "fromFloat16", "toFloat16", 0x7c00],
  ] as const)("every %s becomes the float it stands for, and back", (_, from, to, infinite) => {
    halves.set(all);
    convert[from]({ floats, halves });
    const expected = new Float32Array(65_536);
    referenceConvert[from]({ floats: expected, halves: all });
    expect(same(floats, expected)).toBe(true);
    convert[to]({ floats, halves });
    const isNumber = (bits: number): boolean => (bits & 0x7fff) <= infinite;
    expect(halves.every((bits, index) => (isNumber(index) ? bits === index : !isNumber(bits)))).toBe(true);
  });

  test.each([["toBfloat16"], ["toFloat16"]] as const)("%s rounds to nearest, ties to even", (to) => {
    // Numbers between halves, at and around the middles, over all sizes.
    const bits = new Uint32Array(65_536).map(
      (_, index) => (index << 16) | [0, 0x8000, 0x7fff, 0x8001, 0x1000, 0xfff, 0x1001][index % 7]!,
    );
    floats.set(new Float32Array(bits.buffer).map((value) => (Number.isNaN(value) ? 0 : value)));
    const expected = new Uint16Array(65_536);
    referenceConvert[to]({ floats, halves: expected });
    convert[to]({ floats, halves });
    expect(halves.every((value, index) => value === expected[index])).toBe(true);
  });
});
