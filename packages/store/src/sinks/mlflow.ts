// MLflow: the run is found by a tag of ours, so that a resumed run, or one whose creation was answered into the void, goes on in the same place.
// Metrics are never overwritten there. A batch that is sent again is the same to the millisecond, which the server's database keeps once.
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import { HoneError } from "@hone/core";
import * as z from "zod";
import type { MlflowConfig } from "./config.ts";
import { MlflowApi } from "./mlflow-api.ts";
import { untilDone } from "./retry.ts";
import type { Setting } from "./run-settings.ts";
import type { Environment } from "./secrets.ts";
import { awayError, type Batch, isRefused, type RunStatus, type Sink } from "./sink.ts";

/** The limits of one runs/log-batch. */
const mostMetrics = 1000;
const mostParams = 100;
/** What servers of every age take. */
const longestKey = 250;
const longestParam = 500;
const tag = "hone.run";

const Experiment = z.object({ experiment: z.object({ experiment_id: z.string() }) });
const NewExperiment = z.object({ experiment_id: z.string() });
const Info = z.object({ info: z.object({ run_id: z.string() }) });
const NewRun = z.object({ run: Info });
const Runs = z.object({ runs: z.array(Info).exactOptional() });
const Nothing = z.object({});

const statuses = { finished: "FINISHED", stopped: "KILLED", failed: "FAILED" } as const;

export interface MlflowSinkOptions {
  readonly directory: string;
  readonly config: MlflowConfig;
  readonly id: string;
  readonly settings: Readonly<Record<string, Setting>>;
  readonly env: Environment;
  readonly now: () => number;
}

export class MlflowSink implements Sink {
  readonly name = "mlflow";
  readonly #options: MlflowSinkOptions;
  readonly #api: MlflowApi;
  #run: string | undefined;

  constructor(options: MlflowSinkOptions) {
    this.#options = options;
    this.#api = new MlflowApi(options.config.trackingUri, options.env);
  }

  async open(signal: AbortSignal): Promise<string | undefined> {
    if (this.#run !== undefined) return undefined;
    const experiment = await this.#experiment(signal);
    const known = await this.#find(experiment, signal);
    const run = known ?? (await this.#create(experiment, signal));
    if (known !== undefined) await this.#post("runs/update", { run_id: run, status: "RUNNING" }, Nothing, signal);
    await this.#sendParams(run, signal);
    this.#run = run;
    return `${this.#api.uri}/#/experiments/${experiment}/runs/${run}`;
  }

  async send({ points, atMs }: Batch, signal: AbortSignal): Promise<void> {
    const metrics = points.flatMap(({ step, metrics: values }) =>
      Object.entries(values).map(([name, value]) => ({
        key: keyOf(name),
        // Protobuf's JSON has words for what JSON has no numbers for.
        value: Number.isFinite(value) ? value : String(value),
        timestamp: Math.round(atMs),
        step,
      })),
    );
    for (const part of chunks(metrics, mostMetrics)) {
      await this.#post("runs/log-batch", { run_id: this.#run, metrics: part }, Nothing, signal);
    }
  }

  async close(status: RunStatus, signal: AbortSignal): Promise<void> {
    if (this.#run === undefined || signal.aborted) return;
    const update = { run_id: this.#run, status: statuses[status], end_time: Math.round(this.#options.now()) };
    try {
      await untilDone(() => this.#post("runs/update", update, Nothing, signal), {
        random: () => 0,
        isFinishing: () => true,
        onOutage: () => undefined,
        onRecovery: () => undefined,
        wait: (delayMs) => setTimeout(delayMs, undefined, { signal }),
        signal,
      });
    } catch (error) {
      throw signal.aborted ? awayError("MLflow was not told how the run ended", error) : error;
    }
  }

  async #experiment(signal: AbortSignal): Promise<string> {
    const name = this.#options.config.experiment;
    try {
      const query = { experiment_name: name };
      const path = "experiments/get-by-name";
      const found = await this.#api.ask({ method: "GET", path, query, answer: Experiment, signal });
      return found.experiment.experiment_id;
    } catch (error) {
      if (!HoneError.is(error) || error.code !== "mlflow-missing") throw error;
      // Should somebody else make it at this moment, the next attempt finds it.
      return (await this.#post("experiments/create", { name }, NewExperiment, signal)).experiment_id;
    }
  }

  async #find(experiment: string, signal: AbortSignal): Promise<string | undefined> {
    const filter = `tags.\`${tag}\` = '${this.#options.id}'`;
    const { runs } = await this.#post(
      "runs/search",
      { experiment_ids: [experiment], filter, max_results: 1 },
      Runs,
      signal,
    );
    return runs?.[0]?.info.run_id;
  }

  async #create(experiment: string, signal: AbortSignal): Promise<string> {
    const { directory, config, id, now } = this.#options;
    const body = {
      experiment_id: experiment,
      run_name: config.name ?? basename(directory),
      start_time: Math.round(now()),
      tags: [{ key: tag, value: id }],
    };
    return (await this.#post("runs/create", body, NewRun, signal)).run.info.run_id;
  }

  /** A parameter keeps its first value there: one that a resumed run changed is refused, and must not take others with it. */
  async #sendParams(run: string, signal: AbortSignal): Promise<void> {
    const params = Object.entries(this.#options.settings).map(([name, value]) => ({
      key: keyOf(name),
      value: String(value).slice(0, longestParam),
    }));
    for (const part of chunks(params, mostParams)) {
      if (await this.#takesParams(run, part, signal)) continue;
      for (const param of part) await this.#takesParams(run, [param], signal);
    }
  }

  async #takesParams(run: string, params: readonly object[], signal: AbortSignal): Promise<boolean> {
    try {
      await this.#post("runs/log-batch", { run_id: run, params }, Nothing, signal);
      return true;
    } catch (error) {
      if (!isRefused(error)) throw error;
      return false;
    }
  }

  #post<Value>(path: string, body: object, answer: z.ZodType<Value>, signal: AbortSignal): Promise<Value> {
    return this.#api.ask({ method: "POST", path, body, answer, signal });
  }
}

/** MLflow takes letters, digits and `_-. :/`, and no path that could be written in two ways. `pass@4` and `pass^4` stay apart. */
export function keyOf(name: string): string {
  const plain = name
    .replaceAll("@", "_at_")
    .replaceAll("^", "_hat_")
    .replaceAll(/[^\w\-. :/]/g, "_")
    .split("/")
    .map((part) => (part === "" || part === "." || part === ".." ? "_" : part))
    .join("/");
  return plain.slice(0, longestKey).replace(/\/$/, "_");
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_unused, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
