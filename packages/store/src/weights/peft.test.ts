import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { readPeftAdapter } from "./peft-read.ts";
import { writePeftAdapter, type WritePeftAdapterOptions } from "./peft-write.ts";
import { openSafetensors } from "./safetensors-read.ts";
import { type TensorSources, writeSafetensors } from "./safetensors-write.ts";

const query = "model.layers.0.self_attn.q_proj";
const down = "model.layers.0.mlp.down_proj";
const pair = (rank: number, inputs: number, outputs: number, from = 0) => ({
  a: Float32Array.from({ length: rank * inputs }, (_zero, index) => from + index),
  b: Float32Array.from({ length: outputs * rank }, (_zero, index) => -from - index),
});
const adapter: WritePeftAdapterOptions = {
  baseModel: "toy/base",
  rank: 2,
  alpha: 6,
  targets: ["q_proj", "down_proj"],
  tensors: { [query]: pair(2, 3, 4), [down]: pair(2, 5, 3, 100) },
};

/** A folder as PEFT would write it: `config` over the usual fields, `tensors` as they are. */
async function folderWith(config: object, tensors?: TensorSources): Promise<string> {
  const folder = await temporaryFolder();
  await writePeftAdapter(folder, adapter);
  const path = join(folder, "adapter_config.json");
  const usual = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...usual, ...config }));
  if (tensors !== undefined) await writeSafetensors(join(folder, "adapter_model.safetensors"), tensors);
  return folder;
}
const matrix = (rows: number, columns: number) =>
  ({ dtype: "F32", shape: [rows, columns], data: new Float32Array(rows * columns) }) as const;

describe("what is written", () => {
  test("are the files, names and shapes that PEFT has", async () => {
    const folder = await temporaryFolder();
    await writePeftAdapter(folder, adapter);
    expect(await readdir(folder)).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
    await using file = await openSafetensors(join(folder, "adapter_model.safetensors"));
    expect(file.metadata).toEqual({ format: "pt" });
    expect(file.tensors().map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual([
      { name: `base_model.model.${down}.lora_A.weight`, dtype: "F32", shape: [2, 5] },
      { name: `base_model.model.${down}.lora_B.weight`, dtype: "F32", shape: [3, 2] },
      { name: `base_model.model.${query}.lora_A.weight`, dtype: "F32", shape: [2, 3] },
      { name: `base_model.model.${query}.lora_B.weight`, dtype: "F32", shape: [4, 2] },
    ]);
    expect(JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8"))).toMatchObject({
      peft_type: "LORA",
      task_type: "CAUSAL_LM",
      base_model_name_or_path: "toy/base",
      r: 2,
      lora_alpha: 6,
      target_modules: ["q_proj", "down_proj"],
      lora_dropout: 0,
      bias: "none",
      fan_in_fan_out: false,
      inference_mode: true,
      use_rslora: false,
      use_dora: false,
      modules_to_save: null,
    });
  });

  test("replaces an adapter that was there", async () => {
    const folder = await folderWith({});
    await writePeftAdapter(folder, { ...adapter, alpha: 9 });
    expect((await readPeftAdapter(folder)).alpha).toBe(9);
    expect(await readdir(folder)).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
  });

  test('"all-linear" becomes the names of the layers that are there', async () => {
    const folder = await temporaryFolder();
    await writePeftAdapter(folder, { ...adapter, targets: ["all-linear"] });
    expect((await readPeftAdapter(folder)).targets).toEqual(["down_proj", "q_proj"]);
  });

  test.each<[string, Partial<WritePeftAdapterOptions>, string]>([
    ["a rank that is none", { rank: 0 }, "rank 0"],
    ["values of another rank", { rank: 4 }, "are not of rank 4"],
    ["no modules", { tensors: {} }, "no module"],
    ["a module that no target names", { targets: ["q_proj"] }, `"${down}" is none of the targets q_proj`],
    ["a target that ends like a module, without a dot", { targets: ["proj"] }, "is none of the targets"],
    ["an alpha that is none", { alpha: NaN }, "alpha NaN"],
  ])("refuses %s", async (_what, change, message) => {
    const folder = await temporaryFolder();
    expect(await rejection(writePeftAdapter(folder, { ...adapter, ...change }))).toMatchObject({
      code: "bad-adapter",
      message: expect.stringContaining(message),
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("what is read", () => {
  test("are the values that were written", async () => {
    const folder = await temporaryFolder();
    const values = fc.float({ noNaN: true });
    const array = (length: number) => fc.float32Array({ minLength: length, maxLength: length, noNaN: true });
    await fc.assert(
      fc.asyncProperty(array(6), array(8), values, async (a, b, alpha) => {
        fc.pre(Number.isFinite(alpha));
        await writePeftAdapter(folder, {
          ...adapter,
          alpha,
          targets: ["q_proj"],
          tensors: new Map([[query, { a, b }]]),
        });
        const read = await readPeftAdapter(folder);
        expect(read).toMatchObject({ baseModel: "toy/base", rank: 2, targets: ["q_proj"] });
        expect(read.tensors.get(query)).toEqual({
          a,
          b,
          rank: 2,
          inputs: 3,
          outputs: 4,
          alpha: alpha + 0,
          scale: alpha / 2 + 0,
        });
      }),
      { numRuns: 10 },
    );
  });

  test("may be stored in fewer bits", async () => {
    const folder = await temporaryFolder();
    await writePeftAdapter(folder, { ...adapter, dtype: "BF16" });
    expect((await readPeftAdapter(folder)).tensors.get(query)?.a).toEqual(Float32Array.of(0, 1, 2, 3, 4, 5));
  });

  test.each<[string, object, readonly string[]]>([
    ["a list", { target_modules: ["q_proj", "down_proj"] }, ["down_proj", "q_proj"]],
    ["all-linear", { target_modules: "all-linear" }, ["all-linear"]],
    ["an expression", { target_modules: ".*layers\\.0.*proj" }, [down, query]],
    ["nothing", { target_modules: null }, [down, query]],
  ])("targets given as %s", async (_what, config, targets) => {
    expect((await readPeftAdapter(await folderWith(config))).targets).toEqual(targets);
  });

  test("rank-stabilised LoRA divides by the root of the rank", async () => {
    const { tensors } = await readPeftAdapter(await folderWith({ use_rslora: true }));
    expect(tensors.get(query)?.scale).toBe(6 / Math.sqrt(2));
  });

  test.each<[string, Record<string, number>, number]>([
    ["the end of a path", { q_proj: 20 }, 10],
    ["a whole path", { [query]: 20 }, 10],
    ["a path from its start", { [`^${query}`]: 20 }, 10],
    ["an expression", { "layers\\.[0-9]+\\.self_attn\\.(q|k)_proj": 20 }, 10],
    ["the first of two", { q_proj: 20, "self_attn.q_proj": 40 }, 10],
    ["another end", { proj: 20 }, 3],
    ["nothing that matches", { v_proj: 20 }, 3],
  ])("alpha_pattern by %s", async (_what, alpha_pattern, scale) => {
    expect((await readPeftAdapter(await folderWith({ alpha_pattern }))).tensors.get(query)?.scale).toBe(scale);
  });

  test("rank_pattern gives modules ranks of their own", async () => {
    const tensors = {
      [`base_model.model.${query}.lora_A.weight`]: matrix(4, 3),
      [`base_model.model.${query}.lora_B.weight`]: matrix(5, 4),
      [`base_model.model.${down}.lora_A.weight`]: matrix(2, 3),
      [`base_model.model.${down}.lora_B.weight`]: matrix(5, 2),
    };
    const { tensors: read } = await readPeftAdapter(await folderWith({ rank_pattern: { q_proj: 4 } }, tensors));
    expect(read.get(query)).toMatchObject({ rank: 4, scale: 6 / 4 });
    expect(read.get(down)).toMatchObject({ rank: 2, scale: 6 / 2 });
  });

  test.each(["lora_A.weight", "lora_A.default.weight"])("names without the prefix of PEFT: %s", async (ending) => {
    const tensors = { [`${query}.${ending}`]: matrix(2, 3), [`${query}.${ending.replace("A", "B")}`]: matrix(4, 2) };
    expect([...(await readPeftAdapter(await folderWith({}, tensors))).tensors.keys()]).toEqual([query]);
  });
});

describe("refused, with the reason", () => {
  test.each<[object, string]>([
    [{ peft_type: "LOHA" }, 'peft_type is "LOHA"'],
    [{ use_dora: true }, "DoRA"],
    [{ bias: "all" }, "trained biases"],
    [{ lora_bias: true }, "a bias in LoRA layers"],
    [{ modules_to_save: ["lm_head"] }, "modules that were trained in full"],
    [{ fan_in_fan_out: true }, "transposed weights"],
    [{ layer_replication: [[0, 2]] }, "replicated layers"],
    [{ trainable_token_indices: [1] }, "trained token embeddings"],
    [{ init_lora_weights: "pissa" }, "changes the base weights"],
    [{ r: 0 }, "r"],
    [{ lora_alpha: "6" }, "lora_alpha"],
    [{ r: 3 }, "A has rank 2, B has 2, adapter_config.json says 3"],
    [{ alpha_pattern: { "(a+)+b": 1 } }, "an expression that is not supported"],
    [{ alpha_pattern: { ".*.*.*.*x": 1 } }, "an expression that is not supported"],
    [{ alpha_pattern: { "(": 1 } }, "an expression that is not supported"],
    [{ alpha_pattern: { "a{9}": 1 } }, "an expression that is not supported"],
  ])("%j", async (config, message) => {
    expect(await rejection(readPeftAdapter(await folderWith(config)))).toMatchObject({
      code: "bad-weights",
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });

  test.each<[string, TensorSources, string]>([
    ["no tensors", {}, "there are no LoRA weights"],
    ["one half", { [`${query}.lora_A.weight`]: matrix(2, 3) }, `"${query}" has lora_A only`],
    ["an embedding", { "model.embed_tokens.lora_embedding_A": matrix(2, 3) }, "neither lora_A nor lora_B"],
    ["a whole layer", { "base_model.model.lm_head.weight": matrix(2, 3) }, "neither lora_A nor lora_B"],
    [
      "one half twice",
      { [`${query}.lora_A.weight`]: matrix(2, 3), [`base_model.model.${query}.lora_A.weight`]: matrix(2, 3) },
      `"${query}" has lora_A twice`,
    ],
    [
      "halves that do not fit",
      { [`${query}.lora_A.weight`]: matrix(2, 3), [`${query}.lora_B.weight`]: matrix(3, 4) },
      "A has rank 2, B has 4",
    ],
    [
      "integers",
      {
        [`${query}.lora_A.weight`]: { dtype: "I32", shape: [2, 1], data: new Int32Array(2) },
        [`${query}.lora_B.weight`]: matrix(3, 2),
      },
      "I32 [2, 1], not a matrix of floats",
    ],
  ])("%s", async (_what, tensors, message) => {
    expect(await rejection(readPeftAdapter(await folderWith({}, tensors)))).toMatchObject({
      code: "bad-weights",
      message: expect.stringContaining(message),
    });
  });

  test.each(["adapter_config.json", "adapter_model.safetensors"])("a folder without %s", async (file) => {
    const folder = await folderWith({});
    await rm(join(folder, file));
    expect(await rejection(readPeftAdapter(folder))).toMatchObject({ message: `${folder}: there is no ${file} in it` });
  });
});
