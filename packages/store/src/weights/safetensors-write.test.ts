import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { openSafetensors } from "./safetensors-read.ts";
import { type NamedTensorSource, type TensorSources, writeSafetensors } from "./safetensors-write.ts";

async function written(tensors: TensorSources): Promise<string> {
  const path = join(await temporaryFolder(), "weights.safetensors");
  await writeSafetensors(path, tensors);
  return path;
}

test("writing asks for one tensor at a time, in the order of the file", async () => {
  const log: string[] = [];
  async function* sources(): AsyncGenerator<NamedTensorSource> {
    for (const [name, dtype] of [
      ["a", "U8"],
      ["b", "F32"],
      ["c", "F32"],
    ] as const) {
      const data = async () => {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} ends`);
        return dtype === "U8" ? Uint8Array.of(1) : Float32Array.of(2);
      };
      yield { name, dtype, shape: [1], data };
    }
  }
  await using file = await openSafetensors(await written(sources()));
  expect(log).toEqual(["b starts", "b ends", "c starts", "c ends", "a starts", "a ends"]);
  expect((await file.read("a")).bytes).toEqual(Uint8Array.of(1));
});

test("a source that fails half way leaves the old file, nothing beside it, and its own error", async () => {
  const path = await written({ old: { dtype: "U8", shape: [1], data: Uint8Array.of(9) } });
  const before = await readFile(path);
  const failure = new Error("the disk of the source is gone");
  const tensors: TensorSources = {
    a: { dtype: "F32", shape: [2], data: Float32Array.of(1, 2) },
    b: { dtype: "U8", shape: [2], data: () => Promise.reject(failure) },
  };
  expect(await rejection(writeSafetensors(path, tensors))).toBe(failure);
  expect(await readFile(path)).toEqual(before);
  expect(await readdir(join(path, ".."))).toEqual(["weights.safetensors"]);
});

test.each<[string, TensorSources, string]>([
  ["more values than its shape", { w: { dtype: "F32", shape: [3], data: Float32Array.of(1) } }, "1 elements of F32"],
  ["bytes of another length", { w: { dtype: "F16", shape: [3], data: new Uint8Array(5) } }, "2.5 elements of F16"],
  ["floats for integers", { w: { dtype: "I32", shape: [1], data: Float32Array.of(1) } }, "its data are floats"],
  ["a negative length", { w: { dtype: "U8", shape: [-1], data: new Uint8Array(0) } }, "impossible shape [-1]"],
  ["a broken length", { w: { dtype: "U8", shape: [0.5, 2], data: new Uint8Array(1) } }, "impossible shape [0.5, 2]"],
  [
    "the name of the metadata",
    { __metadata__: { dtype: "U8", shape: [], data: Uint8Array.of(1) } },
    "cannot have this name",
  ],
  [
    "half a surrogate pair as a name",
    { "\ud800": { dtype: "U8", shape: [], data: Uint8Array.of(1) } },
    "cannot have this name",
  ],
])("writing refuses %s", async (_what, tensors, message) => {
  const path = join(await temporaryFolder(), "x.safetensors");
  expect(await rejection(writeSafetensors(path, tensors))).toMatchObject({
    code: "bad-tensor",
    message: expect.stringContaining(message),
  });
  expect(await rejection(stat(path))).toMatchObject({ code: "ENOENT" });
});

test("writing refuses one name twice", async () => {
  const one: NamedTensorSource = { name: "w", dtype: "U8", shape: [], data: Uint8Array.of(1) };
  expect(await rejection(written([one, one]))).toMatchObject({ message: 'tensor "w" is given twice' });
});

test("writing refuses more dimensions than a reader takes, and metadata that is no text", async () => {
  const deep = { dtype: "U8", shape: Array.from({ length: 65 }, () => 1), data: Uint8Array.of(1) } as const;
  expect(await rejection(written({ deep }))).toMatchObject({ message: expect.stringContaining("impossible shape") });
  const path = join(await temporaryFolder(), "x.safetensors");
  const error = await rejection(writeSafetensors(path, {}, { metadata: { key: "\udc00" } }));
  expect(error).toMatchObject({ code: "bad-weights", message: expect.stringContaining("surrogate") });
});

test("writing names the path when the folder is not there", async () => {
  const path = join(await temporaryFolder(), "none", "x.safetensors");
  expect(await rejection(writeSafetensors(path, {}))).toMatchObject({
    code: "disk",
    message: expect.stringContaining(path),
  });
});
