// One key of another tool, and what it is here. Tables of these serve two readers: a run's file may use the names (aliases.ts), and
// `convertRun` (convert.ts) rewrites a whole file. Rows are tried in order; a row may name a whole table, which takes what is left in it.
import type { Json } from "@hone/core";

export type Row = Renamed | Expanded | Missing;

/** The same under another name. `convert` throws a `TypeError` with the reason for a value that has no counterpart. */
export interface Renamed {
  /** Dotted. A path through an array means each of its items. */
  readonly from: string;
  readonly to: string;
  readonly convert?: (value: Json, context: RowContext) => Json;
}
/** Another number of keys here. Paths may begin with `env.*`, which means every environment. */
export interface Expanded {
  readonly from: string;
  readonly expand: (value: Json) => Readonly<Record<string, Json>>;
}
/** Nothing like it here. */
export interface Missing {
  readonly from: string;
  readonly reason: string;
}

/** What a conversion may have to know of the rest of the file. */
export interface RowContext {
  /** Rollouts per task. */
  readonly groupSize: number;
  /** Whether metrics are sent to Weights & Biases. */
  readonly usesWandb: boolean;
}

/** Each key of `names` with the same reason. */
export function missing(prefix: string, names: readonly string[], reason: string): Missing[] {
  return names.map((name) => ({ from: prefix === "" ? name : `${prefix}.${name}`, reason }));
}

/** Refuses values that say "no limit" with a number below 1. */
export function positive(what: string): (value: Json) => Json {
  return (value) => {
    if (typeof value === "number" && value < 1)
      throw new TypeError(`${value} (${what}) has no counterpart; give a number`);
    return value;
  };
}

/** A table, whatever was given. */
export function tableOf(value: Json): Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, Json>) : {};
}
