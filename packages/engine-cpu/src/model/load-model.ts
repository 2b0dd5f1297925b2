// A Hugging Face folder to a decoder: config.json says the shapes, the safetensors files must have exactly these.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HoneError, type Json, type JsonObject } from "@hone/core";
import { type ModelFolder, openModelFolder } from "@hone/store/weights";
import type { Kernels } from "../kernel/kernels.ts";
import { createDecoder, parameterShapes, parametersOf } from "./assemble.ts";
import { type DecoderConfig, readDecoderConfig } from "./config.ts";
import type { DecoderWeights } from "./weights.ts";

export interface LoadModelOptions {
  /** Lowers the context of the model. */
  readonly contextTokens?: number;
}

/** Longer contexts are a wish that has to be said: tables of positions and sequences cost memory. */
const usualContextTokens = 32_768;

export async function loadDecoder(
  kernels: Kernels,
  folder: string,
  options: LoadModelOptions = {},
): Promise<DecoderWeights> {
  const config = await loadDecoderConfig(folder, options);
  await using files = await openModelFolder(folder);
  checkTensors(files, config, folder);
  const decoder = createDecoder(kernels, config, () => {});
  for (const { name, values } of parametersOf(decoder)) values.set((await files.read(name)).toFloat32());
  return decoder;
}

export async function loadDecoderConfig(folder: string, options: LoadModelOptions = {}): Promise<DecoderConfig> {
  const config = readDecoderConfig(await readConfigFile(folder), join(folder, "config.json"));
  return { ...config, contextTokens: Math.min(config.contextTokens, options.contextTokens ?? usualContextTokens) };
}

/** config.json as it is. */
export async function readConfigFile(folder: string): Promise<JsonObject> {
  const path = join(folder, "config.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new HoneError(`${path} cannot be read`, {
      code: "bad-model",
      hint: "Give the folder of a model as Hugging Face lays it out: config.json, tokenizer.json, *.safetensors.",
      cause: error,
    });
  });
  const json = parse(text, path);
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as JsonObject;
  throw new HoneError(`${path} is not a JSON object`, { code: "bad-model" });
}

function parse(text: string, path: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new HoneError(`${path} is not JSON`, { code: "bad-model", cause: error });
  }
}

function checkTensors(files: ModelFolder, config: DecoderConfig, folder: string): void {
  for (const { name, shape } of parameterShapes(config)) {
    const info = files.info(name);
    if (info === undefined) {
      throw new HoneError(`${folder}: there is no tensor ${name}, which ${config.architecture} needs`, {
        code: "bad-model",
        hint: "The files belong to another model than config.json, or were not written whole.",
      });
    }
    if (info.shape.join() === shape.join()) continue;
    throw new HoneError(`${folder}: ${name} has the shape [${info.shape.join(", ")}], not [${shape.join(", ")}]`, {
      code: "bad-model",
      hint: "config.json and the weights do not belong together.",
    });
  }
}
