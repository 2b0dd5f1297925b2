// Where things are in a run directory. The names are the five words of the flow, so that a listing explains the run.
import { join } from "node:path";
import { safeName, stepName } from "./names.ts";
import type { StreamName } from "./rows.ts";

export interface RunPaths {
  readonly config: string;
  readonly streams: { readonly [Name in StreamName]: string };
  readonly rollouts: string;
  readonly samples: string;
  readonly weights: string;
  readonly adapter: string;
  readonly lock: string;
  readonly stop: string;
}

export function runPaths(directory: string): RunPaths {
  const stream = (name: StreamName): string => join(directory, `${name}.jsonl`);
  return {
    config: join(directory, "run.toml"),
    streams: {
      tasks: stream("tasks"),
      groups: stream("groups"),
      updates: stream("updates"),
      evals: stream("evals"),
      checkpoints: stream("checkpoints"),
      events: stream("events"),
    },
    rollouts: join(directory, "rollouts"),
    samples: join(directory, "samples"),
    weights: join(directory, "weights"),
    adapter: join(directory, "adapter"),
    lock: join(directory, "lock"),
    stop: join(directory, "stop"),
  };
}

export interface RolloutPaths {
  /** One rollout per line. */
  readonly lines: string;
  /** Token columns, referred to by the lines. */
  readonly tokens: string;
}

/** rollouts/000012.jsonl and rollouts/000012.tokens. */
export function rolloutPaths(directory: string, step: number): RolloutPaths {
  const stem = join(runPaths(directory).rollouts, stepName(step));
  return { lines: `${stem}.jsonl`, tokens: `${stem}.tokens` };
}

/** samples/000012.<extension>. */
export function samplesPath(directory: string, step: number, extension: string): string {
  const file = `${stepName(step)}.${safeName(extension, "a kind of samples file")}`;
  return join(runPaths(directory).samples, file);
}

/** weights/000012. */
export function weightsPath(directory: string, step: number): string {
  return join(runPaths(directory).weights, stepName(step));
}
