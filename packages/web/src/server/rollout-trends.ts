// How rollouts changed over a run: lengths, turns, tool calls, time and what ended them, counted from the index of the rollouts themselves,
// so that they are there whatever a trainer writes.
import type { RolloutMeasure, RolloutTrends, Spread } from "../app/rollout-types.ts";
import { lowerBound, toStretches } from "./decimate.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";

const measureNames: readonly RolloutMeasure[] = ["tokens", "turns", "toolCalls", "seconds"];
/** Reasons that are told apart; the rarest are one. */
const mostStops = 5;
const otherStops = "others";
const portion = 10_000;

export interface TrendOptions {
  readonly points: number;
  readonly from: number;
  readonly to: number;
}

/** What is counted of all rollouts, oldest first, side by side: going through a hundred thousand objects once is slow enough. */
interface Columns {
  readonly version: number;
  /** Each step that has rollouts, in order, and where its first one is. */
  readonly steps: readonly number[];
  readonly starts: readonly number[];
  readonly measures: Readonly<Record<RolloutMeasure, Float64Array>>;
  /** [rollout] is an index into `reasons`. */
  readonly stops: Uint16Array;
  readonly reasons: readonly string[];
}

/** Rollouts from `first` on, up to `last`: a stretch of steps. */
interface Stretch {
  readonly step: number;
  readonly first: number;
  readonly last: number;
}

export class TrendTable {
  #columns: Columns | undefined;
  #last: { readonly asked: string; readonly trends: RolloutTrends } | undefined;

  /** Asked again by everyone who opens the page: the last answer is kept. */
  async trends(index: RolloutIndex, options: TrendOptions): Promise<RolloutTrends> {
    const asked = [index.version, index.isComplete, options.points, options.from, options.to].join(" ");
    if (this.#last?.asked !== asked) this.#last = { asked, trends: await this.#count(index, options) };
    return this.#last.trends;
  }

  async #count(index: RolloutIndex, { points, from, to }: TrendOptions): Promise<RolloutTrends> {
    if (this.#columns?.version !== index.version) this.#columns = await columnsOf(index.newestFirst(), index.version);
    const columns = this.#columns;
    const { steps, starts, stops } = columns;
    const stretches = toStretches(lowerBound(steps, from), lowerBound(steps, to + 1), 2 * points).map(
      ([first, last]): Stretch => ({
        step: steps[last - 1] ?? 0,
        first: starts[first] ?? 0,
        last: starts[last] ?? stops.length,
      }),
    );
    return {
      steps: stretches.map(({ step }) => step),
      measures: Object.fromEntries(
        measureNames.map((name) => [name, spreadOf(stretches, columns.measures[name])]),
      ) as RolloutTrends["measures"],
      stops: stopsOf(stretches, columns),
      isIndexed: index.isComplete,
    };
  }
}

async function columnsOf(newestFirst: readonly IndexedRollout[], version: number): Promise<Columns> {
  const count = newestFirst.length;
  const column = (): Float64Array => new Float64Array(count);
  const measures = { tokens: column(), turns: column(), toolCalls: column(), seconds: column() };
  const stops = new Uint16Array(count);
  const reasons = new Map<string, number>();
  const [steps, starts]: [number[], number[]] = [[], []];
  for (let at = 0; at < count; at++) {
    // Others are answered in between.
    if (at % portion === portion - 1) await new Promise(setImmediate);
    const rollout = newestFirst[count - 1 - at];
    if (rollout === undefined) continue;
    measures.tokens[at] = rollout.outputTokens;
    measures.turns[at] = rollout.turns;
    measures.toolCalls[at] = rollout.toolCalls;
    measures.seconds[at] = rollout.durationMs / 1000;
    const reason = reasons.get(rollout.stop) ?? reasons.size;
    reasons.set(rollout.stop, reason);
    stops[at] = reason;
    if (rollout.step === steps.at(-1)) continue;
    steps.push(rollout.step);
    starts.push(at);
  }
  return { version, steps, starts, measures, stops, reasons: [...reasons.keys()] };
}

function spreadOf(stretches: readonly Stretch[], column: Float64Array): Spread {
  const spread: { low: number[]; middle: number[]; high: number[] } = { low: [], middle: [], high: [] };
  for (const { first, last } of stretches) {
    const values = column.slice(first, last).sort();
    spread.low.push(quantile(values, 0.1));
    spread.middle.push(quantile(values, 0.5));
    spread.high.push(quantile(values, 0.9));
  }
  return spread;
}

/** Between two neighbours, by how near it is to each. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

function stopsOf(stretches: readonly Stretch[], { stops, reasons }: Columns): Record<string, readonly number[]> {
  const shares = reasons.map(() => stretches.map(() => 0));
  const totals = reasons.map(() => 0);
  for (const [index, { first, last }] of stretches.entries()) {
    for (let at = first; at < last; at++) {
      const reason = stops[at] ?? 0;
      const own = shares[reason];
      if (own !== undefined) own[index] = (own[index] ?? 0) + 1 / (last - first);
      totals[reason] = (totals[reason] ?? 0) + 1;
    }
  }
  const common = reasons
    .map((name, reason) => ({ name, total: totals[reason] ?? 0, own: shares[reason] ?? [] }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total);
  const named = common.length > mostStops + 1 ? common.slice(0, mostStops) : common;
  const told = named.map(({ name, own }): [string, readonly number[]] => [name, own]);
  if (named.length === common.length) return Object.fromEntries(told);
  const rest = stretches.map((_, at) => Math.max(0, 1 - told.reduce((sum, [, own]) => sum + (own[at] ?? 0), 0)));
  return Object.fromEntries([...told, [otherStops, rest]]);
}
