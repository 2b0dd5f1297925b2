import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Float32Column, fromBase64, Int32Column, toBase64 } from "./columns.ts";

const bytes = fc.uint8Array({ maxLength: 200 });

describe("base64", () => {
  test("it is what Node writes and reads", () => {
    fc.assert(
      fc.property(bytes, (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(toBase64(bytes)).toBe(text);
        expect(fromBase64(text)).toEqual(bytes);
      }),
    );
  });

  test("long columns are joined without a seam", () => {
    for (const length of [24_572, 24_573, 24_574, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256);
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(Buffer.from(bytes).equals(fromBase64(toBase64(bytes)) ?? Buffer.of())).toBe(true);
    }
  });

  test("what is not base64 is undefined, not something else", () => {
    const wrong = ["A", "AAA", "AA=A", "=AAA", "====", "A===", "AA A", "AA-_", "AAé=", "AAAA=", "AA==AA=="];
    expect(wrong.filter((text) => fromBase64(text) !== undefined)).toEqual([]);
    expect(fromBase64("")).toEqual(new Uint8Array());
  });
});

describe("columns", () => {
  test("integers and floats come back bit for bit", () => {
    fc.assert(
      fc.property(fc.int32Array(), (column) => {
        expect(z.decode(Int32Column, z.encode(Int32Column, column))).toEqual(column);
      }),
    );
    fc.assert(
      fc.property(fc.float32Array(), (column) => {
        expect(z.decode(Float32Column, z.encode(Float32Column, column))).toEqual(column);
      }),
    );
  });

  test("a view of a larger buffer is written alone", () => {
    const view = Int32Array.of(1, 2, 3, 4).subarray(1, 3);
    expect(z.decode(Int32Column, z.encode(Int32Column, view))).toEqual(Int32Array.of(2, 3));
  });

  test("little-endian, so that other programs read them", () => {
    expect(z.encode(Int32Column, Int32Array.of(1))).toBe("AQAAAA==");
    expect(z.encode(Float32Column, Float32Array.of(1))).toBe("AACAPw==");
  });

  test("text that holds no whole values is refused", () => {
    for (const text of ["!", "AQ==", 5, null]) expect(Int32Column.safeParse(text).success).toBe(false);
    expect(Int32Column.safeParse("AQ==").error?.issues[0]?.message).toBe("not a base64 column of 4-byte values");
    expect(z.safeEncode(Int32Column, Float32Array.of(1) as unknown as Int32Array).success).toBe(false);
  });
});
