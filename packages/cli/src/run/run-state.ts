// How a run stands, read from its files alone: a running, a finished and a copied run look the same to everyone.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import {
  isStopRequested,
  type LockState,
  type MetricRow,
  openRun,
  readLock,
  type RunEvent,
  runPaths,
  type RunReader,
  type RunStreams,
  type StreamName,
} from "@hone/store";

export type RunState = "running" | "stopping" | "elsewhere" | "interrupted" | "stopped" | "finished" | "failed";

export interface RunStanding {
  readonly name: string;
  readonly directory: string;
  /** The command that made it and goes on with it. */
  readonly kind: "train" | "sft";
  readonly state: RunState;
  readonly lock: LockState | undefined;
  /** Updates made; 0 before the first. */
  readonly step: number;
  readonly environments: readonly string[];
  /** By step. */
  readonly updates: readonly MetricRow[];
  readonly lastUpdate: MetricRow | undefined;
  /** The last row of each step and environment, by step. */
  readonly evals: readonly MetricRow[];
  /** Those that are still kept, by step. */
  readonly checkpoints: readonly { readonly step: number; readonly engine: string }[];
}

export async function readStanding(directory: string): Promise<RunStanding> {
  const run = await openRun(directory);
  const lock = await readLock(directory).catch(() => undefined);
  const updates = await all(run, "updates");
  const evals = new Map((await all(run, "evals")).map((row) => [`${row.step} ${String(row["env"])}`, row]));
  const events = await all(run, "events");
  const checkpoints = new Map((await all(run, "checkpoints")).map(({ step, engine }) => [step, { step, engine }]));
  const lastUpdate = updates.at(-1);
  const named = Object.keys(lastUpdate ?? {}).flatMap((key) => /^reward\/(.+)\/mean$/.exec(key)?.[1] ?? []);
  const measured = [...evals.values()].map(({ env }) => String(env));
  return {
    name: basename(directory),
    directory,
    kind: kindOf(run.config),
    state: stateOf(lock, events, await isStopRequested(directory).catch(() => false)),
    lock,
    step: lastUpdate?.step ?? 0,
    environments: [...new Set([...named.filter((name) => name !== "trained"), ...measured])],
    updates,
    lastUpdate,
    evals: [...evals.values()].sort((a, b) => a.step - b.step),
    checkpoints: [...checkpoints.values()]
      .filter(({ engine }) => existsSync(join(runPaths(directory).weights, engine)))
      .sort((a, b) => a.step - b.step),
  };
}

/** Fine-tuning has [[data]] where training has [[env]]. */
export function kindOf(toml: string): RunStanding["kind"] {
  return /^\[\[data\]\]/m.test(toml) ? "sft" : "train";
}

function stateOf(lock: LockState | undefined, events: readonly RunEvent[], isAsked: boolean): RunState {
  switch (lock?.status) {
    case "alive":
      return isAsked ? "stopping" : "running";
    case "elsewhere":
      return "elsewhere";
    case "dead":
      return "interrupted";
    case undefined: {
      const last = events.findLast(({ type }) => type === "run-start" || type === "run-end");
      if (last?.type !== "run-end") return "failed";
      return (last.detail as { readonly why?: unknown }).why === "stopped" ? "stopped" : "finished";
    }
  }
}

async function all<Name extends StreamName>(run: RunReader, stream: Name): Promise<RunStreams[Name][]> {
  const rows: RunStreams[Name][] = [];
  for await (const { value } of run.read(stream, { onBadRow: () => undefined })) rows.push(value);
  return rows;
}
