// What `hone sft` is asked to do, as one resolved configuration: files and flags, or a run to go on with.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { toFile } from "@hone/config";
import { canonicalJson, HoneError, type JsonObject } from "@hone/core";
import { openRun, readLock, runDirectory, runPaths } from "@hone/store";
import { loadSftConfig, type LoadedSft, type ResolvedSft, SftConfig } from "@hone/train";
import { findRun } from "../run/find-run.ts";
import { kindOf } from "../run/run-state.ts";
import { rootOf } from "../run/run-setup.ts";
import { shown } from "../screen/shown-path.ts";

export interface SftFlags {
  readonly set?: readonly string[] | undefined;
  readonly run?: string | undefined;
  readonly resume?: string | undefined;
}

export interface SftRequest extends LoadedSft {
  readonly directory: string;
  readonly resume: boolean;
  /** Where relative paths of the configuration start. */
  readonly cwd: string;
}

export async function readSftRequest(files: readonly string[], flags: SftFlags, cwd: string): Promise<SftRequest> {
  const overrides = flags.set ?? [];
  if (flags.resume !== undefined) return readResume(flags.resume, files, flags, cwd);
  if (files.length === 0) {
    throw new HoneError("What is to be learnt? Name a run.toml.", {
      code: "usage",
      hint: 'It needs little: model = "hone/tiny", and [[data]] with path = "data.jsonl". See hone sft --help.',
    });
  }
  const loaded = await loadSftConfig({ files, overrides, cwd });
  return { ...loaded, directory: newDirectory(loaded.config, flags.run, cwd), resume: false, cwd };
}

async function readResume(name: string, files: readonly string[], flags: SftFlags, cwd: string): Promise<SftRequest> {
  if (files.length > 0 || flags.run !== undefined) {
    throw new HoneError("A run goes on with its own configuration.", {
      code: "usage",
      hint: `Only the name is needed: hone sft --resume ${name}`,
    });
  }
  const directory = await findRun(name, cwd);
  const lock = await readLock(directory);
  if (lock?.status === "alive") {
    throw new HoneError(`\`${name}\` is running already: process ${lock.pid} writes to it.`, {
      code: "locked",
      hint: `Watch it with hone web, or stop it with hone runs stop ${name}.`,
    });
  }
  const { config: text } = await openRun(directory);
  if (kindOf(text) !== "sft") {
    throw new HoneError(`\`${name}\` is a run of hone train.`, { code: "usage", hint: `hone train --resume ${name}` });
  }
  const file = { path: runPaths(directory).config, text };
  const root = rootOf(directory, cwd);
  const saved = await loadSftConfig({ files: [file], cwd: root });
  const asked = await loadSftConfig({ files: [file], overrides: flags.set ?? [], cwd: root });
  checkSame(saved.config, asked.config, name);
  return { ...asked, directory, resume: true, cwd: root };
}

/** How long it goes on, how often it is measured and saved, and who is told. All else is what the run is. */
const changeable = ["max_steps", "epochs", "checkpoint", "cpu", "wandb", "tensorboard", "mlflow"];

function checkSame(saved: ResolvedSft, asked: ResolvedSft, name: string): void {
  const [before, after] = [tableOf(saved), tableOf(asked)];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (changeable.includes(key) || canonicalJson(before[key] ?? null) === canonicalJson(after[key] ?? null)) continue;
    throw new HoneError(`\`${name}\` cannot go on with another \`${key}\`.`, {
      code: "resume-mismatch",
      hint: `Start a new run. What may change: ${changeable.join(", ")}.`,
    });
  }
}

function tableOf(config: ResolvedSft): JsonObject {
  return JSON.parse(JSON.stringify(toFile(SftConfig, config))) as JsonObject;
}

/** A name that was asked for must be free; one that is made up takes the next free number. */
function newDirectory(config: ResolvedSft, run: string | undefined, cwd: string): string {
  const root = join(cwd, "runs");
  const asked = run ?? config.name;
  if (asked !== undefined) {
    const directory = runDirectory(root, asked);
    if (!existsSync(directory)) return directory;
    throw new HoneError(`There is a run \`${asked}\` already, in ${shown(directory, cwd)}.`, {
      code: "run-exists",
      hint: `Go on with it (hone sft --resume ${asked}), or choose another name (--run NAME).`,
    });
  }
  const stem = `sft-${basename(config.model).replaceAll(/[^\w.+-]+/g, "_")}`;
  for (let number = 1; ; number++) {
    const directory = runDirectory(root, `${stem}-${number}`);
    if (!existsSync(directory)) return directory;
  }
}
