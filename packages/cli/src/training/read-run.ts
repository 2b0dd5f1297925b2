// What `hone train` is asked to do, as one resolved configuration: files and flags, or an environment and flags, or a run to go on with.
import { readLock } from "@hone/store";
import { HoneError } from "@hone/core";
import { loadRunConfig, type LoadedRun, runConfigFor } from "@hone/train";
import { findRun } from "../run/find-run.ts";
import { readRunConfig, rootOf } from "../run/run-setup.ts";
import { checkSameRun } from "./same-run.ts";
import { newRunDirectory } from "./run-name.ts";

export interface RunFlags {
  readonly model: string | undefined;
  readonly set: readonly string[] | undefined;
  readonly quick: boolean;
  readonly run: string | undefined;
  readonly resume: string | undefined;
}

export interface RunRequest extends LoadedRun {
  readonly directory: string;
  readonly resume: boolean;
  /** Where relative paths of the configuration start. */
  readonly cwd: string;
}

export async function readRunRequest(targets: readonly string[], flags: RunFlags, cwd: string): Promise<RunRequest> {
  if (flags.resume !== undefined) return readResume(flags.resume, targets, flags, cwd);
  const loaded = await load(targets, flags, cwd);
  return { ...loaded, directory: newRunDirectory(loaded.config, { cwd, name: flags.run }), resume: false, cwd };
}

async function readResume(name: string, targets: readonly string[], flags: RunFlags, cwd: string): Promise<RunRequest> {
  if (flags.run !== undefined) {
    throw new HoneError("`--run` names a new run and `--resume` goes on with an old one.", {
      code: "usage",
      hint: `Leave --run out: hone train --resume ${name}`,
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
  const saved = await readRunConfig(directory);
  const root = rootOf(directory, cwd);
  const isChanged = targets.length > 0 || flags.model !== undefined || flags.quick || (flags.set ?? []).length > 0;
  if (!isChanged) return { ...saved, directory, resume: true, cwd: root };
  const asked =
    targets.length > 0
      ? await load(targets, flags, cwd)
      : await loadRunConfig({
          files: [{ path: `${name}/run.toml`, text: saved.toml }],
          overrides: overridesOf(flags),
          cwd: root,
        });
  checkSameRun(saved.config, asked.config, name);
  return { ...asked, directory, resume: true, cwd: root };
}

async function load(targets: readonly string[], flags: RunFlags, cwd: string): Promise<LoadedRun> {
  const [first] = targets;
  if (first === undefined) {
    throw new HoneError("What is to be trained? Name a run.toml or an environment.", {
      code: "usage",
      hint: "For example: hone train reverse-text --model hone/tiny",
    });
  }
  const files = targets.filter((target) => /\.toml$/i.test(target));
  if (files.length > 0 && files.length < targets.length) {
    const other = targets.find((target) => !files.includes(target)) ?? "";
    throw new HoneError(`\`${other}\` is not a TOML file: several files compose, and a file names its environments.`, {
      code: "usage",
      hint: `Add it to the file as [[env]] id = "${other}".`,
    });
  }
  if (targets.length > 1 && files.length === 0) {
    throw new HoneError("Several environments are trained through a file.", {
      code: "usage",
      hint: `Write run.toml with ${targets.map((id) => `[[env]] id = "${id}"`).join(", ")}.`,
    });
  }
  const read = (overrides: readonly string[]): Promise<LoadedRun> =>
    files.length > 0
      ? loadRunConfig({ files, overrides, cwd })
      : runConfigFor({ env: first, model: flags.model ?? "", sets: overrides, cwd });
  const own = overridesOf(flags);
  if (files.length === 0 && flags.model === undefined && !own.some((text) => /^\s*model\s*=/.test(text))) {
    throw new HoneError("Which model? Name one with --model.", {
      code: "usage",
      hint: `Without a download: hone train ${first} --model hone/tiny`,
    });
  }
  const loaded = await read(own);
  return flags.quick ? read([...quickOverrides(loaded.config.eval !== false), ...own]) : loaded;
}

function overridesOf({ model, set = [] }: RunFlags): string[] {
  return [...(model === undefined ? [] : [`model=${JSON.stringify(model)}`]), ...set];
}

/** Enough to see every part work, and little enough to wait for. */
function quickOverrides(isEvaluated: boolean): string[] {
  const evaluation = ["eval.num_tasks=8", "eval.group_size=1"];
  return ["max_steps=2", "group_size=4", "batch_size=8", ...(isEvaluated ? evaluation : [])];
}
