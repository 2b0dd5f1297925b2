// Columns of text without lines around them, and numbers as people read them.

export interface Style {
  /** ANSI colours; none unless given. */
  readonly color?: boolean;
}

export function bold(text: string, { color = false }: Style): string {
  return color ? `\u001B[1m${text}\u001B[22m` : text;
}
export function dim(text: string, { color = false }: Style): string {
  return color ? `\u001B[2m${text}\u001B[22m` : text;
}

export type Align = "left" | "right";

/** Two spaces between columns; a column is as wide as its widest cell. The last alignment holds for all further columns. */
export function table(rows: readonly (readonly string[])[], align: readonly Align[]): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) =>
        (align[at] ?? align.at(-1)) === "right" ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** 0.633, 12.5, 1,204: three digits after the point, fewer where they say nothing. */
export function number(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 10 ? 1 : 3;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function signed(value: number): string {
  return value > 0 ? `+${number(value)}` : number(value);
}

export function interval(ci95: readonly [number, number] | null): string {
  return ci95 === null ? "" : `${number(ci95[0])} to ${number(ci95[1])}`;
}

/** "1 task", "2 tasks". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** On one line, cut where it gets long: messages of servers can be whole pages. */
export function oneLine(text: string, longest = 100): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line;
}

export function dollars(value: number): string {
  return `$${value.toFixed(value >= 1 ? 2 : 4)}`;
}
