// Good files with changed bytes: a clear error, or exactly the data that another reader of the same bytes finds.
import { HoneError } from "@hone/core";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/temporary.ts";
import { byteLengthOf, type Dtype } from "./dtype.ts";
import { parseHeader } from "./header-parse.ts";
import { checkLayout, headerBytes } from "./layout.ts";
import { openSafetensors } from "./safetensors-read.ts";

const shapes: readonly [Dtype, readonly number[]][] = [
  ["I64", [3]],
  ["F32", [2, 5]],
  ["BF16", [4, 2, 2]],
  ["F16", []],
  ["U8", [0, 7]],
  ["BOOL", [400]],
];
const infos = shapes.map(([dtype, shape], index) => {
  return { name: `layers.${index}.w`, dtype, shape, byteLength: byteLengthOf(dtype, shape) ?? 0 };
});
const header = headerBytes(infos, { format: "pt" });
const dataBytes = infos.reduce((sum, { byteLength }) => sum + byteLength, 0);
const good = Buffer.concat([header, Buffer.from(Array.from({ length: dataBytes }, (_zero, index) => index))]);
const telling = [...Buffer.from('0189,:[]{}"\\ -eu.n'), 0x00, 0x7f, 0x80, 0xc3, 0xff];

interface PlainTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** JSON.parse and no checks. */
function plainReading(text: string): Map<string, PlainTensor> {
  const { __metadata__: _, ...tensors } = JSON.parse(text) as Record<string, PlainTensor>;
  return new Map(Object.entries(tensors));
}

test("any bytes of a file changed, added, removed or cut off", async () => {
  const path = join(await temporaryFolder(), "fuzzed.safetensors");
  const change = fc.record({
    at: fc.nat({ max: good.length - 1 }),
    to: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...telling)),
    kind: fc.constantFrom("replace", "replace", "insert", "remove", "cut"),
  });
  const outcomes = { opened: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
      const content = changes.reduce(applied, good);
      await writeFile(path, content);
      const result = await openSafetensors(path).catch((error: unknown) => error);
      if (HoneError.is(result)) {
        expect(result).toMatchObject({ code: "bad-weights", message: expect.stringContaining(path) });
        outcomes.refused++;
        return;
      }
      await using file = result as Awaited<ReturnType<typeof openSafetensors>>;
      const dataStart = 8 + Number(content.readBigUInt64LE());
      const plain = plainReading(content.toString("utf8", 8, dataStart));
      expect(file.tensors().length).toBe(plain.size);
      for (const [
        name,
        {
          data_offsets: [start, end],
        },
      ] of plain) {
        const expected = content.subarray(dataStart + start, dataStart + end);
        expect(Buffer.compare((await file.read(name)).bytes, expected)).toBe(0);
      }
      outcomes.opened++;
    }),
    { numRuns: 120, seed: 7 },
  );
  expect(outcomes.opened).toBeGreaterThan(10);
  expect(outcomes.refused).toBeGreaterThan(30);
});

test("every byte of a header replaced by every telling one", () => {
  const text = Buffer.from(header).toString("utf8", 8);
  const refusal = new Error("refused");
  const fail = (): never => {
    throw refusal;
  };
  const outcomes = { opened: 0, refused: 0 };
  for (let at = 0; at < text.length; at++) {
    for (const code of telling) {
      const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
      try {
        const placed = checkLayout(parseHeader(changed, fail), dataBytes, fail);
        const plain = plainReading(changed);
        const found = placed.map(({ name, dtype, shape, start, byteLength }) => {
          return [name, { dtype, shape, data_offsets: [start, start + byteLength] }] as const;
        });
        if (!isDeepStrictEqual(new Map(found), plain)) expect.fail(`another reading of ${changed}`);
        outcomes.opened++;
      } catch (error) {
        if (error !== refusal) throw error;
        outcomes.refused++;
      }
    }
  }
  expect(outcomes.opened).toBeGreaterThan(500);
  expect(outcomes.refused).toBeGreaterThan(5000);
});

function applied(content: Buffer, { at, to, kind }: { at: number; to: number; kind: string }): Buffer {
  const place = Math.max(0, Math.min(at, content.length - 1));
  const [before, after] = [content.subarray(0, place), content.subarray(place + 1)];
  if (kind === "cut") return Buffer.from(before);
  if (kind === "remove") return Buffer.concat([before, after]);
  return Buffer.concat([before, Buffer.of(to), kind === "insert" ? content.subarray(place) : after]);
}
