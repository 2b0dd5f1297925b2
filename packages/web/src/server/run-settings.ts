// What a run's configuration and the keys of its rows say about it: how it is trained, on which environments, and how much of it there is to do.
import type { MetricRow, RunKind } from "../app/api-types.ts";

type Config = ReadonlyMap<string, string>;

/** Fine-tuned on conversations: nothing speaks of environments, and something of data or a loss. */
export function isSft(config: Config, metrics: readonly string[]): boolean {
  const keys = [...config.keys(), ...metrics];
  const isTrained = keys.some((key) => key.startsWith("env.") || key.startsWith("reward/"));
  return !isTrained && keys.some((key) => key.startsWith("data.") || key === "update/loss");
}

export interface EnvironmentSources {
  readonly kind: RunKind;
  readonly config: Config;
  readonly metrics: readonly string[];
  readonly evals: readonly MetricRow[];
}

export function environmentsOf({ kind, config, metrics, evals }: EnvironmentSources): readonly string[] {
  const fromUpdates = metrics.flatMap((key) => /^reward\/(.+)\/mean$/.exec(key)?.[1] ?? []);
  const fromEvals = evals.flatMap(({ env }) => (typeof env === "string" ? [env] : []));
  const fromConfig = kind === "evals" ? [config.get("env") ?? []].flat() : [];
  const all = new Set([...fromUpdates, ...fromEvals, ...fromConfig]);
  // Before its first step a run is known by what it was given.
  if (all.size === 0) for (const name of namedIn(config)) all.add(name);
  all.delete("trained");
  return [...all];
}

/** Of [[env]] tables: what they are called, or where they come from. */
function namedIn(config: Config): readonly string[] {
  return [...config.keys()]
    .flatMap((key) => /^(env\.\d+)\.id$/.exec(key)?.[1] ?? [])
    .flatMap((env) => config.get(`${env}.name`) ?? config.get(`${env}.id`) ?? []);
}

export interface Done {
  readonly step: number;
  /** How often it went through its data. */
  readonly epoch: number | undefined;
}

/** Steps of a run, rollouts of an evaluation; null where nothing tells. A run that counts in epochs is told by how many steps one takes. */
export function plannedIn(kind: RunKind, config: Config, { step, epoch = 0 }: Done): number | null {
  const [steps, epochs] = [positive(config.get("max_steps")), positive(config.get("epochs"))];
  if (kind === "runs") return steps ?? (epochs === null || !(epoch > 0) ? null : Math.ceil((step * epochs) / epoch));
  const [tasks, size] = [positive(config.get("num_tasks")), positive(config.get("group_size")) ?? 1];
  return tasks === null ? null : tasks * size;
}

function positive(text: string | undefined): number | null {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : null;
}
