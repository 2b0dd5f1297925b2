// What a run on disk was made of: the model it started from, its adapter, its checkpoints, and for a run of `hone train` its whole configuration. For
// everything that opens a run again.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type AdapterSpec, HoneError } from "@hone/core";
import { openRun, runPaths } from "@hone/store";
import { type LoadedRun, loadRunConfig, loadSftConfig, type ResolvedRun } from "@hone/train";
import { trainableFolder } from "../model/local-model.ts";
import { kindOf, readStanding, type RunStanding } from "./run-state.ts";

/** The keys that runs of every kind have. */
export type SharedConfig = Pick<ResolvedRun, "model" | "engine" | "lora" | "seqLen" | "cpu">;

export interface RunSetup {
  readonly config: SharedConfig;
  /** Where relative paths of the configuration start: the folder that holds runs/. */
  readonly root: string;
  /** Of the model that it started from. */
  readonly folder: string;
  readonly adapter: AdapterSpec | "full";
  readonly checkpoints: RunStanding["checkpoints"];
}

export async function readRunSetup(directory: string, cwd: string): Promise<RunSetup> {
  const root = rootOf(directory, cwd);
  const { isTraining, file } = await readToml(directory);
  const { config } = isTraining ? await loadRunConfig({ files: [file] }) : await loadSftConfig({ files: [file] });
  const { checkpoints } = await readStanding(directory);
  return {
    config,
    root,
    folder: await startOf(directory, config.model, root),
    adapter: adapterOf(config),
    checkpoints,
  };
}

/** The configuration of a run of `hone train`; a run of another kind is refused, with what to type instead. */
export async function readRunConfig(directory: string): Promise<LoadedRun> {
  const { isTraining, file } = await readToml(directory);
  const name = basename(directory);
  if (!isTraining) {
    throw new HoneError(`\`${name}\` is a run of hone sft.`, { code: "usage", hint: `hone sft --resume ${name}` });
  }
  return { ...(await loadRunConfig({ files: [file] })), toml: file.text };
}

/** A run was started in the folder that holds `runs/`; one that was moved elsewhere is looked at from here. */
export function rootOf(directory: string, cwd: string): string {
  return basename(dirname(directory)) === "runs" ? dirname(dirname(directory)) : cwd;
}

export function adapterOf({ lora }: Pick<SharedConfig, "lora">): AdapterSpec | "full" {
  return lora === false ? "full" : lora;
}

async function readToml(directory: string) {
  const { config: text } = await openRun(directory);
  return { isTraining: kindOf(text) === "train", file: { path: runPaths(directory).config, text } };
}

/** A model that was trained from scratch began with random weights, which the run keeps. */
async function startOf(directory: string, model: string, root: string): Promise<string> {
  const random = join(directory, "init");
  return existsSync(join(random, "config.json")) ? random : trainableFolder(model, root);
}
