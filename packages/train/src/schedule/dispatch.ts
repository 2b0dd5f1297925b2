// Task → rollout → reward, while the run lasts: keeps groups of all environments under way, writes their rollouts, follows the engine's load, and notices
// when nothing comes. One timer for all of it: thousands of rollouts would otherwise have one each.
import type { EnginePressure, Json, Model, Rollout, RolloutId } from "@hone/core";
import { type Blocked, EventLoopWatchdog } from "@hone/env";
import { openRolloutWriter, type RolloutWriter } from "@hone/store";
import type { FinishedGroup, Resumable } from "../nouns.ts";
import type { TrainOptions } from "../options.ts";
import { Activity, type Handed } from "./activity.ts";
import { type Collected, Collector } from "./collect.ts";
import type { Curriculum } from "./curriculum.ts";
import { Limiter } from "./limiter.ts";
import { pause } from "./pause.ts";
import { type GroupRunner, runGroup } from "./run-group.ts";
import { type Stall, StallWatch } from "./stall.ts";

export interface DispatchOptions {
  readonly options: TrainOptions;
  readonly curriculum: Curriculum;
  /** The policy by version, or the latest. */
  readonly policy: (ref: { readonly version: number } | "latest") => Model;
  /** Finished in an earlier life of the run. */
  readonly saved: ReadonlyMap<RolloutId, Rollout>;
  readonly report: (notice: Notice) => void;
}

/** What a person should know while the run goes on: nothing arrives, or an environment holds up all others. */
export type Notice = ({ readonly type: "stall" } & Stall) | ({ readonly type: "blocked" } & Blocked);

/** Between two looks at the engine's load, the clock and the silence. */
const tickMs = 250;
const defaults = { stallAfterSeconds: 60, rolloutTimeoutSeconds: 3600 };

export class Dispatcher implements Resumable {
  readonly watch: StallWatch;
  readonly #options: TrainOptions;
  readonly #collector: Collector;
  readonly #limiter: Limiter;
  readonly #activity: Activity;
  readonly #watchdog: EventLoopWatchdog;
  readonly #timer: NodeJS.Timeout;
  readonly #policy: DispatchOptions["policy"];
  /** Of the policy in use: one sampler and one model for all rollouts, not one each. */
  #shared: { readonly of: number | "latest"; readonly resources: Handed } | undefined;
  #rollouts: { readonly step: number; readonly writer: RolloutWriter } | undefined;

  constructor({ options, curriculum, policy, saved, report }: DispatchOptions) {
    const { lead } = options;
    const now = options.now ?? (() => performance.now());
    this.#options = options;
    this.#policy = policy;
    this.#limiter = new Limiter(options.concurrency);
    this.#activity = new Activity(now);
    this.watch = new StallWatch({
      activity: this.#activity,
      pressure: () => this.#pressure(),
      afterMs: 1000 * (options.stallAfterSeconds ?? defaults.stallAfterSeconds),
      report: (stall) => report({ type: "stall", ...stall }),
      now,
    });
    this.#watchdog = new EventLoopWatchdog({ report: (blocked) => report({ type: "blocked", ...blocked }) });
    const runner: GroupRunner = {
      environments: new Map(options.environments.map((env) => [env.name, env])),
      resources: (_env, version) => this.#resources(lead === 0 ? version : "latest"),
      limiter: this.#limiter,
      activity: this.#activity,
      seed: options.seed,
      retry: options.retry,
      record: (rollout) => this.#record(rollout),
      saved,
      sleep: pause,
    };
    this.#collector = new Collector({
      ...options,
      ...options.difficulty,
      stale: options.staleGroups ?? "drop",
      curriculum,
      run: (ticket, version, signal) => runGroup(runner, ticket, version, signal),
    });
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** The groups of this update. Rollouts that finish from now on are in its file. */
  async collect(step: number): Promise<Collected> {
    if (this.#rollouts?.step !== step) {
      const before = this.#rollouts;
      // The new one first: rollouts of a run with a lead finish at any moment.
      this.#rollouts = { step, writer: await openRolloutWriter(this.#options.directory, step) };
      await before?.writer.close();
    }
    this.#limiter.adapt(this.#pressure());
    return this.#collector.take(step);
  }

  /** Every rollout so far is on the disk. */
  async flush(): Promise<void> {
    await this.#rollouts?.writer.flush();
  }

  state(): Json {
    return this.#collector.state();
  }

  restore(state: Json): Promise<void> {
    return this.#collector.restore(state);
  }

  /** Ends what is under way and gives what had finished. */
  abandon(): Promise<readonly FinishedGroup[]> {
    return this.#collector.abandon();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#watchdog[Symbol.dispose]();
    await this.#collector.abandon();
    await this.#rollouts?.writer.close();
  }

  async #record(rollout: Rollout): Promise<void> {
    if (rollout.failure === undefined) this.watch.arrived();
    await this.#rollouts?.writer.write(rollout);
  }

  #resources(of: number | "latest"): Handed {
    if (this.#shared?.of !== of) {
      const { models, sandboxes } = this.#options;
      const model = this.#policy(of === "latest" ? of : { version: of });
      this.#shared = { of, resources: { model, models, sandboxes, watchdog: this.#watchdog } };
    }
    return this.#shared.resources;
  }

  /** An engine that cannot say is taken as it is: its calls will tell. */
  #pressure(): EnginePressure {
    try {
      return this.#options.engine.pressure();
    } catch {
      return { running: 0, queued: 0, capacity: 0 };
    }
  }

  #tick(): void {
    this.#limiter.adapt(this.#pressure());
    this.#activity.expire(1000 * (this.#options.rolloutTimeoutSeconds ?? defaults.rolloutTimeoutSeconds));
    this.watch.look();
  }
}
