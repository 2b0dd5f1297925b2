// A model as Hugging Face lays it out: model.safetensors, or model.safetensors.index.json with the shards it names.
// Every tensor of the index is known to be in its shard before the first one is read.
import { join } from "node:path";
import * as z from "zod";
import { safeName } from "../names.ts";
import type { TensorInfo } from "./dtype.ts";
import { exists, readJsonObject } from "./folder-files.ts";
import { openSafetensors, type SafetensorsFile, type TensorReader } from "./safetensors-read.ts";
import { badWeights, missingTensor, quote } from "./weights-error.ts";

export interface ModelFolder extends TensorReader {
  readonly folder: string;
}

export const singleFile = "model.safetensors";
export const indexFile = "model.safetensors.index.json";
const mostIndexBytes = 32 * 2 ** 20;
const Index = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Where a file and an index are both there, the file is the model, as transformers has it. */
export async function openModelFolder(folder: string): Promise<ModelFolder> {
  const fileOf = (await exists(join(folder, singleFile))) ? undefined : await readIndex(folder);
  const shards = await openShards(folder, fileOf === undefined ? [singleFile] : [...new Set(fileOf.values())].sort());
  try {
    return folderOf(folder, shards, fileOf);
  } catch (error) {
    await closeAll(shards);
    throw error;
  }
}

/** Tensor name to file name. */
async function readIndex(folder: string): Promise<ReadonlyMap<string, string>> {
  const path = join(folder, indexFile);
  if (!(await exists(path))) {
    const hint = "Give the folder of a model. Weights in .bin files must be saved as safetensors first.";
    throw badWeights(folder, `there is no ${singleFile} and no ${indexFile} in it`, hint);
  }
  const { success, data } = Index.safeParse(await readJsonObject(path, mostIndexBytes));
  if (!success) throw badWeights(path, "it needs a weight_map from tensor names to file names");
  for (const file of Object.values(data.weight_map)) safeName(file, "a shard");
  return new Map(Object.entries(data.weight_map));
}

type Shards = ReadonlyMap<string, SafetensorsFile>;

async function openShards(folder: string, files: readonly string[]): Promise<Shards> {
  const missing: string[] = [];
  for (const file of files) if (!(await exists(join(folder, file)))) missing.push(file);
  if (missing.length > 0) {
    const some = missing.slice(0, 3).join(", ");
    const problem = `${missing.length} of ${files.length} shards are missing: ${some}${missing.length > 3 ? ", ..." : ""}`;
    throw badWeights(folder, problem, "The model was not downloaded or written whole; fetch it again.");
  }
  const shards = new Map<string, SafetensorsFile>();
  try {
    for (const file of files) shards.set(file, await openSafetensors(join(folder, file)));
    return shards;
  } catch (error) {
    await closeAll(shards);
    throw error;
  }
}

function folderOf(folder: string, shards: Shards, fileOf?: ReadonlyMap<string, string>): ModelFolder {
  const infos: TensorInfo[] = [];
  const shardOf = new Map<string, SafetensorsFile>();
  for (const [file, shard] of shards) {
    for (const info of shard.tensors()) {
      if (fileOf !== undefined && fileOf.get(info.name) !== file) continue;
      infos.push(info);
      shardOf.set(info.name, shard);
    }
  }
  for (const [name, file] of fileOf ?? []) {
    if (shardOf.has(name)) continue;
    throw badWeights(join(folder, file), `tensor ${quote(name)} is not in it, but ${indexFile} says so`);
  }
  return {
    folder,
    tensors: () => infos,
    info: (name) => shardOf.get(name)?.info(name),
    async read(name) {
      const shard = shardOf.get(name);
      if (shard === undefined) throw missingTensor(folder, name, [...shardOf.keys()]);
      return shard.read(name);
    },
    [Symbol.asyncDispose]: () => closeAll(shards),
  };
}

async function closeAll(shards: Shards): Promise<void> {
  await Promise.all([...shards.values()].map((shard) => shard[Symbol.asyncDispose]()));
}
