// The sinks of a run, started beside it. They read its files and nothing else; the run neither waits for them nor hears of their errors, which become
// notices. Opening them on a run that is over sends what is missing.
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { runPaths } from "../run-paths.ts";
import type { SinksConfig } from "./config.ts";
import { Feed } from "./feed.ts";
import { MlflowSink } from "./mlflow.ts";
import { Pump } from "./pump.ts";
import { runSettings, type Setting } from "./run-settings.ts";
import { runStatus } from "./run-status.ts";
import { type Environment, scrubber, withoutCredentials } from "./secrets.ts";
import { type Sink, type SinkName, type SinkNotice, sinkStreams } from "./sink.ts";
import { SinksState, type SinkState } from "./state.ts";
import { TensorboardSink } from "./tensorboard.ts";
import { WandbSink } from "./wandb.ts";

const pollMs = 1000;
const deadlineMs = 20_000;

export interface SinksOptions {
  /** What a person should know; never holds a secret. Errors are told once, not for every attempt. */
  readonly onNotice: (notice: SinkNotice) => void;
  /** Where keys are, and HONE_PYTHON. */
  readonly env: Environment;
  /** How often the files are looked at. 1000 unless given. */
  readonly pollMs?: number;
  /** How long disposing waits at most, the end of a process aside. 20 000 unless given. */
  readonly deadlineMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
  /** Stops delivery where it is. Disposing then only says what is missing. */
  readonly signal?: AbortSignal;
}

/** Disposing follows the files to their end and flushes, for as long as the deadline allows. It never rejects. */
export interface Sinks extends AsyncDisposable {
  readonly names: readonly SinkName[];
}

/** Resolves before anything is connected. Never rejects: a sink that cannot work says so in a notice. */
export async function openSinks(directory: string, config: SinksConfig, options: SinksOptions): Promise<Sinks> {
  const folder = resolve(directory);
  const notify = notifier(options);
  const states = new SinksState(folder);
  const planned = plan(folder, config, options, await settingsOf(folder, options.env));
  await states.load().catch((error: unknown) => {
    const message = `${error instanceof Error ? error.message : String(error)}. Delivery starts from the beginning.`;
    for (const { name } of planned) notify({ sink: name, level: "warning", message });
  });
  const pumps = planned.map(({ name, target, create }) => {
    const state = states.get(name, target);
    return new Pump({
      sink: create(state),
      state,
      states,
      feeds: feedsOf(folder, name, state, notify),
      notify: (notice) => notify({ sink: name, ...notice }),
      pollMs: options.pollMs ?? pollMs,
      now: options.now ?? Date.now,
      random: options.random ?? Math.random,
      signal: options.signal ?? new AbortController().signal,
    });
  });
  let closing: Promise<void> | undefined;
  return {
    names: planned.map(({ name }) => name),
    [Symbol.asyncDispose]: () => (closing ??= close(folder, pumps, options.deadlineMs ?? deadlineMs)),
  };
}

interface Planned {
  readonly name: SinkName;
  /** What makes it another place when it changes. */
  readonly target: string;
  readonly create: (state: SinkState) => Sink;
}

function plan(
  folder: string,
  { wandb, tensorboard, mlflow }: SinksConfig,
  { env, now = Date.now }: SinksOptions,
  settings: Readonly<Record<string, Setting>>,
): readonly Planned[] {
  const planned: Planned[] = [];
  if (wandb !== undefined && wandb.mode !== "disabled") {
    planned.push({
      name: "wandb",
      target: [wandb.entity ?? "", wandb.project].join("/"),
      create: ({ id }) => new WandbSink({ directory: folder, config: wandb, id, settings, env }),
    });
  }
  if (tensorboard !== undefined) {
    const path = resolve(folder, tensorboard.directory ?? "tensorboard");
    const target = tensorboard.directory ?? "tensorboard";
    planned.push({ name: "tensorboard", target, create: () => new TensorboardSink(path) });
  }
  if (mlflow !== undefined) {
    planned.push({
      name: "mlflow",
      target: `${withoutCredentials(mlflow.trackingUri)} ${mlflow.experiment}`,
      create: ({ id }) => new MlflowSink({ directory: folder, config: mlflow, id, settings, env, now }),
    });
  }
  return planned;
}

function feedsOf(
  folder: string,
  sink: SinkName,
  state: SinkState,
  notify: (notice: SinkNotice) => void,
): readonly Feed[] {
  const paths = runPaths(folder).streams;
  return sinkStreams.map((stream) => {
    let isTold = false;
    return new Feed({
      path: paths[stream],
      stream,
      fromByte: state.bytes[stream],
      onBadRow: ({ path, byte, message }) => {
        if (isTold) return;
        isTold = true;
        const what = `${basename(path)} has a row that cannot be read, at byte ${byte}: ${message}`;
        notify({ sink, level: "warning", message: `${what}. Such rows are passed over.` });
      },
    });
  });
}

async function close(folder: string, pumps: readonly Pump[], limitMs: number): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limitMs);
  const status = await runStatus(folder).catch(() => "failed" as const);
  await Promise.all(pumps.map((pump) => pump.finish(status, deadline.signal)));
  clearTimeout(timer);
}

async function settingsOf(folder: string, env: Environment): Promise<Readonly<Record<string, Setting>>> {
  const toml = await readFile(runPaths(folder).config, "utf8").catch(() => "");
  return runSettings(toml, scrubber(env));
}

/** Everything a person sees goes through here: without secrets, and an onNotice that throws breaks nothing. */
function notifier({ onNotice, env }: SinksOptions): (notice: SinkNotice) => void {
  const scrub = scrubber(env);
  return ({ sink, level, message, hint }) => {
    try {
      onNotice({ sink, level, message: scrub(message), ...(hint === undefined ? {} : { hint: scrub(hint) }) });
    } catch {
      // The run goes on.
    }
  };
}
