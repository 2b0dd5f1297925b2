// An adapter folded into its model, as a whole model folder that transformers, vLLM and Hone load.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HoneError, type JsonObject } from "@hone/core";
import { companionFiles, mergedModel, openModelFolder, readPeftAdapter, writeModelFolder } from "@hone/store/weights";
import { trainableFolder } from "../model/local-model.ts";

export interface MergeOptions {
  /** A PEFT folder. */
  readonly adapter: string;
  readonly output: string;
  readonly cwd: string;
  /** Folder of the model it belongs to; the one that the adapter names unless given. */
  readonly base?: string;
}

export async function mergeAdapter({ adapter, output, cwd, base }: MergeOptions): Promise<void> {
  const lora = await readPeftAdapter(adapter);
  const folder = base ?? (await baseOf(adapter, lora.baseModel, cwd));
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as JsonObject;
  await using model = await openModelFolder(folder);
  const files = await companionFiles(folder);
  await writeModelFolder(output, { ...mergedModel(model, config, lora), files });
}

async function baseOf(adapter: string, name: string | undefined, cwd: string): Promise<string> {
  if (name !== undefined && name !== "") return trainableFolder(name, cwd);
  throw new HoneError(`${adapter} does not say which model it belongs to.`, {
    code: "bad-adapter",
    hint: "Set base_model_name_or_path in its adapter_config.json to the folder of that model.",
  });
}
