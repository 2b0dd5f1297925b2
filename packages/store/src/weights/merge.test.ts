import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { mergedModel, mergeLora } from "./merge.ts";
import { openModelFolder } from "./model-folder-read.ts";
import { writeModelFolder } from "./model-folder-write.ts";
import { readPeftAdapter } from "./peft-read.ts";
import { writePeftAdapter } from "./peft-write.ts";
import { type Tensor } from "./tensor.ts";

test("a merged weight is W + scale * B A, worked by hand", () => {
  // B A = [[1], [2]] [[3, 4, 5]] = [[3, 4, 5], [6, 8, 10]]
  const weight = Float32Array.of(1, 1, 1, 1, 1, 1);
  expect(mergeLora(weight, Float32Array.of(3, 4, 5), Float32Array.of(1, 2), 0.5)).toEqual(
    Float32Array.of(2.5, 3, 3.5, 4, 5, 6),
  );
  expect(weight).toEqual(Float32Array.of(1, 1, 1, 1, 1, 1));
});

test("merging changes what a layer computes exactly as the adapter beside it does", () => {
  const sizes = fc.record({
    rank: fc.integer({ min: 1, max: 4 }),
    inputs: fc.integer({ min: 1, max: 6 }),
    outputs: fc.integer({ min: 1, max: 6 }),
  });
  const small = fc.integer({ min: -8, max: 8 });
  fc.assert(
    fc.property(sizes, fc.infiniteStream(small), ({ rank, inputs, outputs }, numbers) => {
      const take = (length: number): Float32Array => Float32Array.from({ length }, () => Number(numbers.next().value));
      const [weight, a, b, x] = [take(outputs * inputs), take(rank * inputs), take(outputs * rank), take(inputs)];
      const apply = (matrix: Float32Array, vector: Float32Array): number[] =>
        Array.from({ length: matrix.length / vector.length }, (_zero, row) =>
          vector.reduce((sum, value, column) => sum + value * (matrix[row * vector.length + column] ?? NaN), 0),
        );
      const beside = apply(b, Float32Array.from(apply(a, x)));
      const expected = apply(weight, x).map((value, row) => value + 0.5 * (beside[row] ?? NaN));
      expect(apply(mergeLora(weight, a, b, 0.5), x)).toEqual(expected);
    }),
  );
});

test("sizes that are no weight with a pair are refused", () => {
  const sizes = [
    [6, 3, 3],
    [6, 0, 2],
    [0, 3, 2],
    [6, 4, 2],
  ] as const;
  for (const [weight, a, b] of sizes) {
    const merge = () => mergeLora(new Float32Array(weight), new Float32Array(a), new Float32Array(b), 1);
    expect(merge).toThrow("no weight with a LoRA pair");
  }
});

const layer = "model.layers.0.mlp.up_proj";
const tensors = {
  [`${layer}.weight`]: { dtype: "BF16", shape: [2, 3], data: Float32Array.of(1, 1, 1, 1, 1, 1) },
  "model.norm.weight": { dtype: "F32", shape: [3], data: Float32Array.of(1, 2, 3) },
} as const;

async function adapterOf(a: Float32Array, b: Float32Array, module = layer) {
  const folder = await temporaryFolder();
  await writePeftAdapter(folder, {
    baseModel: "base",
    rank: 1,
    alpha: 0.5,
    targets: [module],
    tensors: { [module]: { a, b } },
  });
  return readPeftAdapter(folder);
}

test("a model merged with its adapter is a model folder of the same types", async () => {
  const folder = await temporaryFolder();
  await writeModelFolder(join(folder, "base"), { config: {}, tensors });
  await using base = await openModelFolder(join(folder, "base"));
  const adapter = await adapterOf(Float32Array.of(3, 4, 5), Float32Array.of(1, 2));
  await writeModelFolder(join(folder, "merged"), mergedModel(base, {}, adapter));
  await using merged = await openModelFolder(join(folder, "merged"));
  const read: Tensor = await merged.read(`${layer}.weight`);
  expect(read.dtype).toBe("BF16");
  expect(read.toFloat32()).toEqual(Float32Array.of(2.5, 3, 3.5, 4, 5, 6));
  expect((await merged.read("model.norm.weight")).toFloat32()).toEqual(Float32Array.of(1, 2, 3));
});

test("an adapter of another model is refused before anything is read", async () => {
  const folder = await temporaryFolder();
  await writeModelFolder(folder, { config: {}, tensors: { "model.norm.weight": tensors["model.norm.weight"] } });
  await using other = await openModelFolder(folder);
  const adapter = await adapterOf(Float32Array.of(3, 4, 5), Float32Array.of(1, 2));
  const merging = async () => mergedModel(other, {}, adapter);
  expect(await rejection(merging())).toMatchObject({
    code: "bad-adapter",
    message: expect.stringContaining("is not in the model"),
  });
});

test("an output layer that was tied to the embedding is one of its own after its adapter is merged", async () => {
  const folder = await temporaryFolder();
  const embedding = { dtype: "F32", shape: [2, 3], data: Float32Array.of(1, 1, 1, 1, 1, 1) } as const;
  const config = { tie_word_embeddings: true };
  await writeModelFolder(join(folder, "base"), { config, tensors: { "model.embed_tokens.weight": embedding } });
  await using base = await openModelFolder(join(folder, "base"));
  const adapter = await adapterOf(Float32Array.of(3, 4, 5), Float32Array.of(1, 2), "lm_head");
  const model = mergedModel(base, config, adapter);
  expect(model.config).toEqual({ tie_word_embeddings: false });
  await writeModelFolder(join(folder, "merged"), model);
  await using merged = await openModelFolder(join(folder, "merged"));
  expect((await merged.read("lm_head.weight")).toFloat32()).toEqual(Float32Array.of(2.5, 3, 3.5, 4, 5, 6));
  expect((await merged.read("model.embed_tokens.weight")).toFloat32()).toEqual(embedding.data);
});
