// The names of relatives in a run's own file. A key with one counterpart is understood and noted; one that means several of ours, or none,
// is an error that says what to write. The tables are in relatives/.
import type { Alias } from "@hone/config";
import type { Json } from "@hone/core";
import type { Row, RowContext } from "./relatives/row.ts";
import { relativeRows } from "./relatives/rows.ts";

/** What an error says of a key that Hone has nothing for; whoever shows it adds that a file can be converted. */
export const noCounterpart = "has no counterpart in Hone";

export function runAliases(context: RowContext): readonly Alias[] {
  return relativeRows.map((row) => aliasOf(row, context));
}

function aliasOf(row: Row, context: RowContext): Alias {
  const { from } = row;
  if ("to" in row) {
    const { to, convert } = row;
    return { from, to, ...(convert === undefined ? {} : { convert: (value: Json) => convert(value, context) }) };
  }
  return {
    from,
    // Never used: the conversion refuses. It only has to stand in the same table.
    to: [...from.split(".").slice(0, -1), "(nothing)"].join("."),
    convert: (value) => {
      if ("reason" in row) throw new TypeError(`${noCounterpart}: ${row.reason}`);
      throw new TypeError(advice(row.expand(value)));
    },
  };
}

function advice(settings: Readonly<Record<string, Json>>): string {
  const lines = Object.entries(settings).map(([key, value]) => {
    const [name, place] = key.startsWith("env.*.") ? [key.slice("env.*.".length), " in [[env]]"] : [key, ""];
    return `\`${name} = ${JSON.stringify(value)}\`${place}`;
  });
  return lines.length === 0 ? "says what is so anyway; leave it out" : `write ${lines.join(" and ")} instead`;
}
