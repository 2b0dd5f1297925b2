// A run of fine-tuning from its first step to its exported policy, followed by sinks. Sinks never stop a run: what goes wrong with them is a notice.
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { clearStop, isRun, openRun, runPaths, writeFileAtomic } from "@hone/store";
import { type ResolvedSft, sft, type SftEvent, type SftResult } from "@hone/train";
import type { Io } from "../io.ts";
import { composeSft, type ComposeSftOptions } from "./compose-sft.ts";

export interface SftOutcome extends SftResult {
  readonly name: string;
  readonly directory: string;
  /** Folder of the model it started from. */
  readonly model: string;
}

export interface RunSftOptions extends Omit<ComposeSftOptions, "initFolder"> {
  /** Variables that hold keys of sinks. */
  readonly env: Io["env"];
}

export async function runSft(options: RunSftOptions): Promise<SftOutcome> {
  const { directory, resume } = options;
  let follow: Promise<AsyncDisposable | undefined> = Promise.resolve(undefined);
  const onEvent = (event: SftEvent): void => {
    // Only now is there a directory to follow.
    if (event.type === "run-start") follow = followed(options);
    options.onEvent?.(event);
  };
  try {
    await using composition = await composeSft({ ...options, onEvent });
    if (resume) await renew(options);
    const result = await sft(composition.options);
    return { ...result, name: basename(directory), directory, model: composition.folder };
  } catch (error) {
    // A mistake that was found before the run began leaves nothing that would take its name.
    if (!resume && !(await isRun(directory))) await rm(directory, { recursive: true, force: true });
    throw error;
  } finally {
    await (await follow)?.[Symbol.asyncDispose]();
  }
}

/** A wish to stop from before belongs to an earlier life of this run; its configuration may ask for more steps now. */
async function renew({ directory, toml }: RunSftOptions): Promise<void> {
  await clearStop(directory);
  const { config } = await openRun(directory);
  if (config !== toml) await writeFileAtomic(runPaths(directory).config, toml);
}

async function followed({ config, directory, env, onNotice }: RunSftOptions): Promise<AsyncDisposable | undefined> {
  const sinks = sinksOf(config);
  if (Object.keys(sinks).length === 0) return undefined;
  const { openSinks } = await import("@hone/store/sinks");
  return openSinks(directory, sinks, {
    env,
    onNotice: ({ sink, message, hint }) => onNotice(`${sink}: ${message}${hint === undefined ? "" : ` ${hint}`}`),
  });
}

function sinksOf({ wandb, tensorboard, mlflow }: ResolvedSft) {
  return {
    ...(wandb === undefined ? {} : { wandb }),
    ...(tensorboard === undefined ? {} : { tensorboard }),
    ...(mlflow === undefined ? {} : { mlflow }),
  };
}
