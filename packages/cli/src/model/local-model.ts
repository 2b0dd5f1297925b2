// Models that lie on this machine: a folder as Hugging Face lays it out, a PEFT adapter, a run of `hone train`, and `hone/...`, which came with Hone.
// Told apart by the files in them, so that a mistake says what the folder is and what was missing.
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { nearest } from "@hone/config";
import { HoneError } from "@hone/core";
import { runPaths } from "@hone/store";

export type LocalModel =
  | { readonly type: "folder"; readonly folder: string }
  | { readonly type: "adapter"; readonly folder: string }
  | { readonly type: "run"; readonly directory: string };

/** Undefined when the name is none of these; a folder that holds nothing of the kind is an error. */
export async function findLocalModel(name: string, cwd: string): Promise<LocalModel | undefined> {
  const path = resolve(cwd, name);
  if (isFolder(path)) return modelIn(path, name);
  if (name.startsWith("hone/")) return modelIn(await bundled(name), name);
  if (/^(?:\.{0,2}[/\\]|~|[A-Za-z]:[/\\])/.test(name) || /^(?:runs|models)\//.test(name)) throw noFolder(name);
  return undefined;
}

function modelIn(path: string, name: string): LocalModel {
  const has = (file: string): boolean => existsSync(join(path, file));
  if (existsSync(runPaths(path).config)) return { type: "run", directory: path };
  if (has("adapter_config.json")) {
    // The folder that a run exported stands for the run: its checkpoint is the same policy, unrounded.
    const parent = resolve(path, "..");
    return existsSync(runPaths(parent).config) ? { type: "run", directory: parent } : { type: "adapter", folder: path };
  }
  if (has("config.json")) return { type: "folder", folder: path };
  throw new HoneError(`\`${name}\` is a folder, but no model: it has no config.json.`, {
    code: "unknown-model",
    hint: name.startsWith("hone/")
      ? "This installation lacks the model's files; install @hone/tiny again."
      : "Name the folder that holds config.json, tokenizer.json and the .safetensors files.",
  });
}

async function bundled(name: string): Promise<string> {
  if (name === "hone/tiny") return (await import("@hone/tiny")).tinyModelFolder;
  const meant = nearest(name, ["hone/tiny"]);
  throw new HoneError(`There is no model \`${name}\`.${meant === undefined ? "" : ` Did you mean \`${meant}\`?`}`, {
    code: "unknown-model",
    hint: "hone/tiny is the one that comes with Hone.",
  });
}

function noFolder(name: string): HoneError {
  return new HoneError(`There is no folder \`${name}\`.`, {
    code: "unknown-model",
    hint: name.startsWith("runs/")
      ? "`hone runs list` shows the runs there are."
      : "Paths start in the current folder. hone/tiny needs none.",
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The folder of a model that can be trained. */
export async function trainableFolder(name: string, cwd: string): Promise<string> {
  const found = await findLocalModel(name, cwd);
  switch (found?.type) {
    case "folder":
      return found.folder;
    case "run":
      throw new HoneError(`\`${name}\` is a run, and training starts from a model.`, {
        code: "unknown-model",
        hint: `To go on with it: hone train --resume ${name}. To start from what it learnt: hone runs export ${name} --merged --output FOLDER, then --model FOLDER.`,
      });
    case "adapter":
      throw new HoneError(`\`${name}\` is an adapter, and training starts from a whole model.`, {
        code: "unknown-model",
        hint: "Merge it into its model first (PEFT: merge_and_unload), and name that folder.",
      });
    case undefined:
      throw new HoneError(`There is no model \`${name}\` on this machine.`, {
        code: "unknown-model",
        hint: name.includes("/")
          ? `The cpu engine trains a folder: hf download ${name} --local-dir ${name.split("/").at(-1)}, then --model ./${name.split("/").at(-1)}. hone/tiny needs no download.`
          : "Name a folder (--model ./my-model), or hone/tiny, which comes with Hone.",
      });
  }
}
