// `train` for use from code: what `hone train` does, with a configuration as an object. Names are found as the command line finds them; environments
// and an engine may also be given.
import { toFile, validate } from "@hone/config";
import { type Environment, HoneError, type SandboxProvider } from "@hone/core";
import type { Progress } from "@hone/eval";
import { requestStop } from "@hone/store";
import { resolveRun, RunConfig, type TrainEvent, writeRun } from "@hone/train";
import { resolve } from "node:path";
import type * as z from "zod";
import type { OpenEngine } from "../engines/open-engine.ts";
import type { ModelOptions } from "../model/find-model.ts";
import { readRunRequest } from "./read-run.ts";
import { newRunDirectory } from "./run-name.ts";
import { runTraining, type TrainOutcome } from "./run-training.ts";

/** The keys of run.toml, in camelCase. */
export type TrainConfig = z.input<typeof RunConfig>;

export interface TrainFunctionOptions {
  /** Where names and runs/ are looked for; the working directory unless given. */
  readonly cwd?: string;
  /** Variables that hold keys; those of the process unless given. */
  readonly env?: ModelOptions["env"];
  /** Where the run is kept; runs/<name> unless given. */
  readonly directory?: string;
  /** Environments that are here already, by the id that the configuration uses. */
  readonly environments?: Readonly<Record<string, Environment>>;
  /** Instead of the engine that the configuration names. */
  readonly engine?: OpenEngine;
  readonly sandboxes?: SandboxProvider;
  readonly onEvent?: (event: TrainEvent) => void;
  /** While held-out tasks are evaluated. */
  readonly onProgress?: (step: number, progress: Progress) => void;
  /** What a person should know and nothing fails of. */
  readonly onNotice?: (notice: string) => void;
  /** Stops after the step under way; the run can be resumed. */
  readonly signal?: AbortSignal;
}

/** A new run. `{ resume: "name" }` instead of a configuration goes on with an old one. */
export async function train(
  config: TrainConfig | { readonly resume: string },
  options: TrainFunctionOptions = {},
): Promise<TrainOutcome> {
  const { cwd = process.cwd(), env = process.env, signal = new AbortController().signal } = options;
  const request = "resume" in config ? await resumed(config.resume, cwd) : await started(config, options, cwd);
  const { environments = {}, engine, sandboxes, onEvent, onProgress, onNotice = () => undefined } = options;
  const stop = (): void => void requestStop(request.directory).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const outcome = await runTraining({
      ...request,
      env,
      given: new Map(Object.entries(environments)),
      ...(engine === undefined ? {} : { engine }),
      ...(sandboxes === undefined ? {} : { sandboxes }),
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(onProgress === undefined ? {} : { onProgress }),
      onNotice,
      stop: signal,
      signal: new AbortController().signal,
    });
    if (outcome !== undefined) return outcome;
    throw new HoneError("The run was stopped before its first step.", { code: "cancelled" });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function resumed(name: string, cwd: string) {
  return readRunRequest([], { resume: name, run: undefined, model: undefined, set: undefined, quick: false }, cwd);
}

async function started(input: TrainConfig, { directory }: TrainFunctionOptions, cwd: string) {
  const value: unknown = JSON.parse(JSON.stringify(toFile(RunConfig, input)));
  const config = resolveRun(await validate({ schema: RunConfig, value }));
  return {
    config,
    toml: writeRun(config),
    directory: directory === undefined ? newRunDirectory(config, { cwd }) : resolve(cwd, directory),
    resume: false,
    cwd,
  };
}
