// Rollouts to an Evaluation, one at a time and in any order. Only numbers are kept of each. A later rollout of the same task and index
// supersedes the earlier one, so the rows of a file can be fed as they come. Equal rollouts give equal results to the last digit, whatever their order.
import type { Call, Failure, Rollout, Stop } from "@hone/core";
import type { Price } from "@hone/model";
import type { ErrorCount, Evaluation, Pass, Spent } from "./evaluation.ts";
import { passAllK, passAtK, powersUpTo } from "./pass-at-k.ts";
import { type Estimate, estimate, mean, quantile } from "./statistics.ts";

/** Verifiers' threshold: half of the usual full reward. */
export const defaultPassThreshold = 0.5;

export interface SummaryOptions {
  readonly env: string;
  readonly envVersion?: string;
  readonly model: string;
  readonly passThreshold?: number;
  /** For calls that do not say what they cost. */
  readonly price?: Price;
}
/** What only the runner knows of it. */
export type Circumstances = Partial<Pick<Evaluation, "directory" | "interrupted" | "notes">>;

interface Facts {
  readonly reward: number | null;
  readonly rewards: Readonly<Record<string, { readonly value: number }>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly costUsd: number | undefined;
  readonly stop: string;
  readonly truncated: boolean;
  readonly failure: Failure | undefined;
}

export class Summary {
  readonly #options: SummaryOptions;
  /** By task, then by index. */
  readonly #facts = new Map<string, Map<number, Facts>>();

  constructor(options: SummaryOptions) {
    this.#options = options;
  }

  add(rollout: Rollout): void {
    const group = this.#facts.get(rollout.taskId) ?? new Map<number, Facts>();
    group.set(rollout.index, factsOf(rollout, this.#options.price));
    this.#facts.set(rollout.taskId, group);
  }

  evaluation({ directory = null, interrupted = false, notes = [] }: Circumstances = {}): Evaluation {
    const { env, envVersion = "0.0.0", model, passThreshold = defaultPassThreshold } = this.#options;
    const groups = [...this.#facts].sort(byName).map(([, group]) => [...group].sort(byIndex).map(([, facts]) => facts));
    const all = groups.flat();
    const scored = groups.map((group) => group.filter((facts) => facts.failure === undefined && facts.reward !== null));
    const rewards = scored.map((group) => group.map((facts) => facts.reward ?? 0));
    const costs = all.flatMap(({ costUsd }) => costUsd ?? []);
    return {
      env,
      envVersion,
      model,
      directory,
      interrupted,
      tasks: groups.length,
      rollouts: all.length,
      failed: all.length - rewards.flat().length,
      reward: estimate(rewards) ?? null,
      rewards: estimates(
        scored,
        (facts) => facts.rewards,
        ({ value }) => value,
      ),
      metrics: estimates(
        scored,
        (facts) => facts.metrics,
        (value) => value,
      ),
      passThreshold,
      passes: passesOf(rewards, passThreshold),
      tokens: {
        input: spent(all.map((facts) => facts.inputTokens)),
        output: spent(all.map((facts) => facts.outputTokens)),
      },
      seconds: durations(all.map((facts) => facts.seconds)),
      cost: costs.length === 0 ? null : { total: total(costs), mean: total(costs) / all.length },
      stops: countStops(all),
      truncated: all.length === 0 ? 0 : all.filter((facts) => facts.truncated).length / all.length,
      errors: countErrors(all),
      notes,
    };
  }
}

/** Of any rollouts of one environment and model; the evaluation of a directory, of a worker, of a test. */
export async function summarise(
  rollouts: Iterable<Rollout> | AsyncIterable<Rollout>,
  options: SummaryOptions,
): Promise<Evaluation> {
  const summary = new Summary(options);
  for await (const rollout of rollouts) summary.add(rollout);
  return summary.evaluation();
}

function factsOf(rollout: Rollout, price: Price | undefined): Facts {
  const [agent] = rollout.agents;
  const costs = rollout.calls.map((call) => costOf(call, price)).filter((cost) => cost !== undefined);
  return {
    reward: agent?.reward ?? null,
    rewards: agent?.rewards ?? {},
    metrics: agent?.metrics ?? {},
    inputTokens: total(rollout.calls.map(({ usage }) => usage.inputTokens)),
    outputTokens: total(rollout.calls.map(({ usage }) => usage.outputTokens)),
    seconds: rollout.timing.durationMs / 1000,
    costUsd: costs.length === 0 ? undefined : total(costs),
    stop: stopName(rollout.stop),
    truncated: rollout.truncated,
    failure: rollout.failure,
  };
}

function costOf({ usage }: Call, price: Price | undefined): number | undefined {
  if (usage.costUsd !== undefined || price === undefined) return usage.costUsd;
  const cached = usage.cachedTokens ?? 0;
  const input = (usage.inputTokens - cached) * price.input + cached * (price.cached ?? price.input);
  return (input + usage.outputTokens * price.output) / 1e6;
}

/** "answered", "won", "limit turns". */
function stopName(stop: Stop): string {
  switch (stop.type) {
    case "ended":
      return stop.by;
    case "limit":
      return `limit ${stop.of}`;
    case "answered":
    case "failed":
    case "cancelled":
      return stop.type;
  }
}

function estimates<Value>(
  groups: readonly (readonly Facts[])[],
  of: (facts: Facts) => Readonly<Record<string, Value>>,
  read: (value: Value) => number,
): Record<string, Estimate> {
  // A rollout that lacks a name has no value for it: it is not a 0.
  const names = new Set(groups.flatMap((group) => group.flatMap((facts) => Object.keys(of(facts)))));
  const found: [string, Estimate][] = [];
  for (const name of names) {
    const values = groups.map((group) =>
      group.flatMap((facts) => (name in of(facts) ? [read(of(facts)[name] as Value)] : [])),
    );
    const one = estimate(values);
    if (one !== undefined) found.push([name, one]);
  }
  return Object.fromEntries(found);
}

function passesOf(rewards: readonly (readonly number[])[], threshold: number): Pass[] {
  const counts = rewards.map((group) => ({
    n: group.length,
    correct: group.filter((value) => value >= threshold).length,
  }));
  const largest = counts.reduce((most, { n }) => Math.max(most, n), 0);
  return powersUpTo(largest).map((k) => {
    const enough = counts.filter(({ n }) => n >= k);
    const any = mean(enough.map(({ n, correct }) => passAtK(n, correct, k)));
    return { k, any, all: mean(enough.map(({ n, correct }) => passAllK(n, correct, k))), tasks: enough.length };
  });
}

function countStops(all: readonly Facts[]): Evaluation["stops"] {
  const counts = new Map<string, number>();
  for (const { stop } of all) counts.set(stop, (counts.get(stop) ?? 0) + 1);
  return [...counts]
    .map(([stop, count]) => ({ stop, count }))
    .sort((a, b) => b.count - a.count || (a.stop < b.stop ? -1 : 1));
}

function countErrors(all: readonly Facts[]): ErrorCount[] {
  const counts = new Map<string, ErrorCount>();
  for (const { failure } of all) {
    if (failure === undefined) continue;
    const { boundary, code, message } = failure;
    const known = counts.get(`${boundary} ${code}`) ?? { boundary, code, count: 0, message };
    counts.set(`${boundary} ${code}`, { ...known, count: known.count + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

function durations(seconds: readonly number[]): Evaluation["seconds"] {
  if (seconds.length === 0) return null;
  const sorted = Float64Array.from(seconds).sort();
  return { mean: mean(seconds), p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}

function spent(counts: readonly number[]): Spent {
  return { mean: counts.length === 0 ? 0 : mean(counts), total: total(counts) };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
function byIndex([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number {
  return a - b;
}
