import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { openModelFolder } from "./model-folder-read.ts";
import { companionFiles, writeModelFolder } from "./model-folder-write.ts";
import { writeSafetensors } from "./safetensors-write.ts";

const config = { model_type: "toy", hidden_size: 2 };
const vector = (...values: number[]) =>
  ({ dtype: "F32", shape: [values.length], data: Float32Array.from(values) }) as const;
const tensors = { embed: vector(1, 2), head: vector(3, 4, 5), norm: vector(6), tail: vector(7, 8) };

async function sharded(): Promise<string> {
  const folder = await temporaryFolder();
  await writeModelFolder(folder, { config, tensors, maxShardBytes: 20 });
  return folder;
}

async function valuesOf(folder: string): Promise<Record<string, number[]>> {
  await using model = await openModelFolder(folder);
  const values: Record<string, number[]> = {};
  for (const { name } of model.tensors()) values[name] = [...(await model.read(name)).toFloat32()];
  return values;
}
const expected = { embed: [1, 2], head: [3, 4, 5], norm: [6], tail: [7, 8] };

test("a small model is one file with its configuration, and nothing else", async () => {
  const folder = await temporaryFolder();
  await writeModelFolder(folder, { config, tensors });
  expect(await readdir(folder)).toEqual(["config.json", "model.safetensors"]);
  expect(JSON.parse(await readFile(join(folder, "config.json"), "utf8"))).toEqual(config);
  expect(await valuesOf(folder)).toEqual(expected);
});

test("a larger model is in shards, filled in the order given, with an index", async () => {
  const folder = await sharded();
  expect((await readdir(folder)).filter((name) => name.endsWith(".safetensors"))).toEqual([
    "model-00001-of-00002.safetensors",
    "model-00002-of-00002.safetensors",
  ]);
  expect(JSON.parse(await readFile(join(folder, "model.safetensors.index.json"), "utf8"))).toEqual({
    metadata: { total_size: 32 },
    weight_map: {
      embed: "model-00001-of-00002.safetensors",
      head: "model-00001-of-00002.safetensors",
      norm: "model-00002-of-00002.safetensors",
      tail: "model-00002-of-00002.safetensors",
    },
  });
  expect(await valuesOf(folder)).toEqual(expected);
  await using model = await openModelFolder(folder);
  expect(model.info("head")).toMatchObject({ dtype: "F32", shape: [3] });
});

test("a tensor larger than a shard has a file of its own", async () => {
  const folder = await temporaryFolder();
  await writeModelFolder(folder, { config, tensors, maxShardBytes: 1 });
  expect((await readdir(folder)).filter((name) => name.startsWith("model-0000")).length).toBe(4);
  expect(await valuesOf(folder)).toEqual(expected);
});

test("weights may be stored in fewer bits", async () => {
  const folder = await temporaryFolder();
  await writeModelFolder(folder, { config, tensors, dtype: "BF16" });
  await using model = await openModelFolder(folder);
  expect(model.tensors().map(({ dtype }) => dtype)).toEqual(["BF16", "BF16", "BF16", "BF16"]);
  expect(await valuesOf(folder)).toEqual(expected);
});

test("a new model replaces the old one and its shards, and leaves other files alone", async () => {
  const folder = await sharded();
  await writeFile(join(folder, "notes.txt"), "mine");
  await writeModelFolder(folder, { config, tensors: { only: vector(9) } });
  expect(await readdir(folder)).toEqual(["config.json", "model.safetensors", "notes.txt"]);
  expect(await valuesOf(folder)).toEqual({ only: [9] });
  await writeModelFolder(folder, { config, tensors, maxShardBytes: 20 });
  expect(await valuesOf(folder)).toEqual(expected);
});

test("a model may be rewritten from itself", async () => {
  const folder = await sharded();
  await using model = await openModelFolder(folder);
  const again = model.tensors().map((info) => ({ ...info, data: async () => (await model.read(info.name)).bytes }));
  await writeModelFolder(folder, { config, tensors: again });
  expect(await valuesOf(folder)).toEqual(expected);
});

test("a source that fails leaves the old model and nothing beside it", async () => {
  const folder = await sharded();
  const before = await readdir(folder);
  const failure = new Error("no more");
  const broken = { ...tensors, tail: { ...tensors.tail, data: () => Promise.reject(failure) } };
  expect(await rejection(writeModelFolder(folder, { config: {}, tensors: broken, maxShardBytes: 20 }))).toBe(failure);
  expect(await readdir(folder)).toEqual(before);
  expect(await valuesOf(folder)).toEqual(expected);
});

test("the tokenizer goes with the weights, also a read-only one", async () => {
  const [base, folder] = [await temporaryFolder(), join(await temporaryFolder(), "new", "model")];
  for (const name of ["tokenizer.json", "chat_template.jinja", "config.json", "README.md"]) {
    await writeFile(join(base, name), name);
  }
  await chmod(join(base, "tokenizer.json"), 0o444);
  const files = await companionFiles(base);
  expect(files).toEqual([join(base, "chat_template.jinja"), join(base, "tokenizer.json")]);
  await writeModelFolder(folder, { config, tensors, files });
  expect(await readFile(join(folder, "tokenizer.json"), "utf8")).toBe("tokenizer.json");
  expect(await readdir(folder)).toEqual(["chat_template.jinja", "config.json", "model.safetensors", "tokenizer.json"]);
});

test("a file to copy is there and takes no other's name", async () => {
  const folder = await temporaryFolder();
  const missing = join(folder, "tokenizer.json");
  expect(await rejection(writeModelFolder(folder, { config, tensors, files: [missing] }))).toMatchObject({
    code: "disk",
    message: expect.stringContaining(missing),
  });
  for (const name of ["config.json", "model.safetensors", "model-00001-of-00002.safetensors"]) {
    const files = [join("elsewhere", name)];
    expect(await rejection(writeModelFolder(folder, { config, tensors, files }))).toMatchObject({
      code: "bad-argument",
    });
  }
  expect(await readdir(folder)).toEqual([]);
});

test("a missing shard is named", async () => {
  const folder = await sharded();
  await rm(join(folder, "model-00002-of-00002.safetensors"));
  expect(await rejection(openModelFolder(folder))).toMatchObject({
    code: "bad-weights",
    message: `${folder}: 1 of 2 shards are missing: model-00002-of-00002.safetensors`,
  });
});

test("a tensor that its shard does not have is named", async () => {
  const folder = await sharded();
  const shard = join(folder, "model-00002-of-00002.safetensors");
  await writeSafetensors(shard, { norm: tensors.norm });
  expect(await rejection(openModelFolder(folder))).toMatchObject({
    code: "bad-weights",
    message: expect.stringContaining(`${shard}: tensor "tail" is not in it`),
  });
});

test("a broken shard is named", async () => {
  const folder = await sharded();
  const shard = join(folder, "model-00002-of-00002.safetensors");
  await writeFile(shard, "half");
  expect(await rejection(openModelFolder(folder))).toMatchObject({ message: expect.stringContaining(shard) });
});

test("a tensor that no shard has is named", async () => {
  await using model = await openModelFolder(await sharded());
  expect(await rejection(model.read("lm_head.weight"))).toMatchObject({
    code: "missing-tensor",
    message: expect.stringContaining('"lm_head.weight"'),
  });
});

test("a folder without weights says what a model folder has", async () => {
  const folder = await temporaryFolder();
  expect(await rejection(openModelFolder(folder))).toMatchObject({
    message: `${folder}: there is no model.safetensors and no model.safetensors.index.json in it`,
    hint: expect.stringContaining(".bin"),
  });
});

test.each([
  ["not JSON", "{", "it is not JSON"],
  ["a list", "[]", "it is not a JSON object"],
  ["without a map", "{}", "it needs a weight_map"],
  ["a map of numbers", '{"weight_map":{"w":1}}', "it needs a weight_map"],
  ["a way out of the folder", '{"weight_map":{"w":"../other/model.safetensors"}}', "cannot be the name of a shard"],
])("an index that is %s is refused", async (_what, text, message) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "model.safetensors.index.json"), text);
  expect(await rejection(openModelFolder(folder))).toMatchObject({ message: expect.stringContaining(message) });
});
