// A model written as Hugging Face lays it out, for transformers, vLLM and everyone else: config.json, weights in one file or in shards
// with an index, and the files that belong to them. The folder may hold an older model; other files in it are left alone.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { HoneError, type JsonObject } from "@hone/core";
import { writeSynced } from "../atomic.ts";
import { safeName } from "../names.ts";
import type { FloatDtype } from "./dtype.ts";
import { indexFile, singleFile } from "./model-folder-read.ts";
import { type PlannedTensor, planTensors, type TensorSources, writeNewSafetensors } from "./safetensors-write.ts";
import { replaceFiles } from "./staged-files.ts";
import { onDisk, quote } from "./weights-error.ts";

export interface WriteModelFolderOptions {
  /** Becomes config.json. */
  readonly config: JsonObject;
  readonly tensors: TensorSources;
  /** Stores every float tensor as this type. */
  readonly dtype?: FloatDtype;
  /** Of the tensors of one file; 5 GB unless said. A larger tensor has a file of its own. */
  readonly maxShardBytes?: number;
  /** Paths of files to copy under their own names; see `companionFiles`. */
  readonly files?: readonly string[];
}

const configFile = "config.json";
/** transformers refuses a file that does not say which framework wrote it. */
const metadata = { format: "pt" };
const isShard = (name: string): boolean => /^model(-\d{5}-of-\d{5})?\.safetensors$/.test(name);
const companions: ReadonlySet<string> = new Set([
  "tokenizer.json",
  "tokenizer_config.json",
  "tokenizer.model",
  "special_tokens_map.json",
  "added_tokens.json",
  "vocab.json",
  "merges.txt",
  "chat_template.jinja",
  "chat_template.json",
  "generation_config.json",
]);

export async function writeModelFolder(folder: string, options: WriteModelFolderOptions): Promise<void> {
  const { config, tensors, dtype, maxShardBytes = 5e9, files = [] } = options;
  const copies = copiesOf(files);
  const shards = shardsOf(await planTensors(tensors, dtype), maxShardBytes);
  await replaceFiles(folder, {
    last: [singleFile, indexFile, configFile],
    isStale: isShard,
    async write(stage) {
      for (const [name, path] of copies) await writeSynced(stage(name), await readSmall(path));
      for (const [file, planned] of shards) await writeNewSafetensors(stage(file), planned, metadata);
      if (shards.size > 1) await writeSynced(stage(indexFile), jsonText(indexOf(shards)));
      await writeSynced(stage(configFile), jsonText(config));
    },
  });
}

/** The files of a model that go with any weights of it: tokenizer, chat template, generation settings. */
export async function companionFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => companions.has(name))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    throw onDisk(folder, "read", error);
  }
}

type Shards = ReadonlyMap<string, readonly PlannedTensor[]>;

/** In the order given, each file as full as it may be. */
function shardsOf(planned: readonly PlannedTensor[], maxShardBytes: number): Shards {
  if (!(maxShardBytes > 0))
    throw new HoneError(`maxShardBytes is ${maxShardBytes}`, { code: "bad-argument", hint: "It must be above 0." });
  const groups: PlannedTensor[][] = [[]];
  let bytes = 0;
  for (const tensor of planned) {
    if (bytes > 0 && bytes + tensor.byteLength > maxShardBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(tensor);
    bytes += tensor.byteLength;
  }
  const digits = (number: number): string => String(number).padStart(5, "0");
  const nameOf = (index: number): string => `model-${digits(index + 1)}-of-${digits(groups.length)}.safetensors`;
  return new Map(groups.map((group, index) => [groups.length === 1 ? singleFile : nameOf(index), group]));
}

function indexOf(shards: Shards): JsonObject {
  const files = [...shards].flatMap(([file, planned]) => planned.map(({ name }) => [name, file] as const));
  const sizes = [...shards.values()].flat().map(({ byteLength }) => byteLength);
  return {
    metadata: { total_size: sizes.reduce((sum, size) => sum + size, 0) },
    weight_map: Object.fromEntries(files.sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}

function copiesOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const copies = new Map<string, string>();
  for (const path of paths) {
    const name = safeName(basename(path), "a file to copy");
    if (copies.has(name) || name === configFile || name === indexFile || isShard(name)) {
      throw new HoneError(`${path} cannot be copied: the folder has another ${quote(name)}`, { code: "bad-argument" });
    }
    copies.set(name, path);
  }
  return copies;
}

/** Read whole: a tokenizer is small, and the copy is then like any other file written here. */
async function readSmall(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw onDisk(path, "read", error);
  }
}

function jsonText(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
