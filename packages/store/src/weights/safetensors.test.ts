import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { type Dtype, dtypes, elementBytes, type FloatDtype } from "./dtype.ts";
import { openSafetensors } from "./safetensors-read.ts";
import {
  type NamedTensorSource,
  type TensorSources,
  writeSafetensors,
  type WriteSafetensorsOptions,
} from "./safetensors-write.ts";
import { decodeFloats, encodeFloats } from "./tensor.ts";

async function written(tensors: TensorSources, options?: WriteSafetensorsOptions): Promise<string> {
  const path = join(await temporaryFolder(), "weights.safetensors");
  await writeSafetensors(path, tensors, options);
  return path;
}

describe("the bytes of a file", () => {
  // Derived by hand from the format: 8 bytes of length, the header, spaces to a multiple of 8, the data.
  const header =
    '{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},' +
    '"é":{"dtype":"U8","shape":[],"data_offsets":[8,9]}}       ';
  const golden = Buffer.concat([
    Buffer.from([0x90, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from(header, "utf8"),
    Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]),
    Buffer.from([7]),
  ]);

  test("are the ones the format asks for: larger elements first, then by name", async () => {
    const path = await written(
      {
        é: { dtype: "U8", shape: [], data: Uint8Array.of(7) },
        w: { dtype: "F32", shape: [2], data: Float32Array.of(1, -2) },
      },
      { metadata: { format: "pt" } },
    );
    expect(await readFile(path)).toEqual(golden);
  });

  test("are read back with their values, types and metadata", async () => {
    const path = join(await temporaryFolder(), "golden.safetensors");
    await writeFile(path, golden);
    await using file = await openSafetensors(path);
    expect(file.metadata).toEqual({ format: "pt" });
    expect(file.tensors()).toMatchObject([
      { name: "w", dtype: "F32", shape: [2], byteLength: 8 },
      { name: "é", dtype: "U8", shape: [], byteLength: 1 },
    ]);
    expect((await file.read("w")).toFloat32()).toEqual(Float32Array.of(1, -2));
    expect((await file.read("é")).bytes).toEqual(Uint8Array.of(7));
  });

  test("are ordered by the bytes of names, which differ from UTF-16 order", async () => {
    const one = { dtype: "U8", shape: [], data: Uint8Array.of(0) } as const;
    await using file = await openSafetensors(await written({ "\u{1f600}": one, "\uff5e": one, b: one, B: one }));
    expect(file.tensors().map(({ name }) => name)).toEqual(["B", "b", "\uff5e", "\u{1f600}"]);
  });

  test("of no tensors at all are a file too", async () => {
    await using file = await openSafetensors(await written({}));
    expect(file.tensors()).toEqual([]);
  });
});

const name = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => text !== "__metadata__");
const arbitraryTensor = fc
  .tuple(name, fc.constantFrom<Dtype>(...dtypes), fc.array(fc.nat({ max: 5 }), { maxLength: 4 }))
  .chain(([name, dtype, shape]) => {
    const length = shape.reduce((product, size) => product * size, elementBytes(dtype));
    const bytes = fc.uint8Array({ minLength: length, maxLength: length });
    return bytes.map((data): NamedTensorSource & { data: Uint8Array } => ({ name, dtype, shape, data }));
  });

describe("a round trip", () => {
  test("keeps tensors of every type and odd shape, empty ones and scalars, and the metadata", async () => {
    const path = join(await temporaryFolder(), "any.safetensors");
    const tensors = fc.uniqueArray(arbitraryTensor, { selector: (tensor) => tensor.name, maxLength: 8 });
    const metadata = fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), {
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(tensors, metadata, async (sources, metadata) => {
        await writeSafetensors(path, sources, { metadata });
        await using file = await openSafetensors(path);
        expect(file.metadata).toEqual(metadata);
        expect(file.tensors().length).toBe(sources.length);
        for (const { name, dtype, shape, data } of sources) {
          const tensor = await file.read(name);
          expect(tensor).toMatchObject({ name, dtype, shape, byteLength: data.length });
          expect(Buffer.compare(tensor.bytes, data)).toBe(0);
        }
        const dataStart = Number((await readFile(path)).readBigUInt64LE()) + 8;
        expect(dataStart % 8).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test.each<FloatDtype>(["F16", "BF16", "F32", "F64"])(
    "stores float32 values as %s, the nearest there is",
    async (dtype) => {
      const values = Float32Array.of(0, -0, 1, 1 / 3, -65_504, 3e-6, Infinity, -Infinity, NaN);
      const path = await written({ v: { dtype: "F32", shape: [3, 3], data: values } }, { dtype });
      await using file = await openSafetensors(path);
      const tensor = await file.read("v");
      expect(tensor.dtype).toBe(dtype);
      expect(tensor.toFloat32()).toEqual(decodeFloats(encodeFloats(values, dtype), dtype));
      if (dtype === "F32" || dtype === "F64") expect(tensor.toFloat32()).toEqual(values);
    },
  );

  test("converts stored floats to another type and leaves integers alone", async () => {
    const halves = encodeFloats(Float32Array.of(1.5, -0.25), "F16");
    const tensors = {
      half: { dtype: "F16", shape: [2], data: halves },
      count: { dtype: "I64", shape: [1], data: BigInt64Array.of(-5n) },
    } as const;
    await using file = await openSafetensors(await written(tensors, { dtype: "BF16" }));
    expect(await file.read("half")).toMatchObject({ dtype: "BF16", byteLength: 4 });
    expect((await file.read("half")).toFloat32()).toEqual(Float32Array.of(1.5, -0.25));
    expect(new BigInt64Array((await file.read("count")).bytes.buffer)).toEqual(BigInt64Array.of(-5n));
  });

  test("converts a tensor of several parts as one", async () => {
    const values = Float32Array.from({ length: 2 ** 21 + 3 }, (_zero, index) => index % 251);
    await using file = await openSafetensors(
      await written({ v: { dtype: "BF16", shape: [values.length], data: values } }),
    );
    expect(Buffer.from((await file.read("v")).toFloat32().buffer).equals(Buffer.from(values.buffer))).toBe(true);
  });

  test("of bytes that are not aligned in memory keeps the values", () => {
    const bytes = new Uint8Array(new Uint8Array(9).buffer, 1);
    bytes.set(encodeFloats(Float32Array.of(2.5, -1), "F32"));
    expect(decodeFloats(bytes, "F32")).toEqual(Float32Array.of(2.5, -1));
  });
});

describe("reading", () => {
  test("a tensor that is not there is named, with some that are", async () => {
    await using file = await openSafetensors(await written({ a: { dtype: "U8", shape: [], data: Uint8Array.of(1) } }));
    expect(file.info("b")).toBeUndefined();
    expect(await rejection(file.read("b"))).toMatchObject({
      code: "missing-tensor",
      message: expect.stringContaining('"b"'),
      hint: 'It has 1: "a".',
    });
  });

  test("a tensor of integers has no float values", async () => {
    await using file = await openSafetensors(
      await written({ a: { dtype: "I32", shape: [1], data: Int32Array.of(1) } }),
    );
    const tensor = await file.read("a");
    expect(() => tensor.toFloat32()).toThrow('tensor "a" is I32');
  });

  test("a file that is cut while it is open is an error, not zeros", async () => {
    const path = await written({ a: { dtype: "U8", shape: [100], data: new Uint8Array(100).fill(1) } });
    await using file = await openSafetensors(path);
    await truncate(path, (await stat(path)).size - 10);
    expect(await rejection(file.read("a"))).toMatchObject({
      code: "bad-weights",
      message: expect.stringContaining(path),
    });
  });

  test("one tensor of a huge file needs the memory of one tensor", async () => {
    const path = join(await temporaryFolder(), "huge.safetensors");
    const terabyte = 2 ** 40;
    const text = `{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"z":{"dtype":"U8","shape":[${terabyte}],"data_offsets":[4,${terabyte + 4}]}}`;
    const start = Buffer.alloc(8);
    start.writeBigUInt64LE(BigInt(text.length));
    await writeFile(path, Buffer.concat([start, Buffer.from(text), Buffer.from([1, 2, 3, 4])]));
    await truncate(path, 8 + text.length + 4 + terabyte);
    await using file = await openSafetensors(path);
    expect((await file.read("w")).bytes).toEqual(Uint8Array.of(1, 2, 3, 4));
    expect(await rejection(file.read("z"))).toMatchObject({
      message: expect.stringContaining("cannot be held in memory"),
    });
  });

  test("what is disposed is closed", async () => {
    const path = await written({ a: { dtype: "U8", shape: [], data: Uint8Array.of(1) } });
    const file = await openSafetensors(path);
    await file[Symbol.asyncDispose]();
    expect(await rejection(file.read("a"))).toMatchObject({ code: "disk" });
  });
});
