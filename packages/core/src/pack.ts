// Packing: samples into rows of at most `rowTokens`, few rows, little padding. Pure; engines use it, the trainer does not.
// First-fit decreasing: longest first, each into the first row with room, ties by index. The same lengths give the same rows.
import { HoneError } from "./errors.ts";
import type { Sample } from "./sample.ts";

export interface PackOptions {
  /** What a row holds at most. */
  readonly rowTokens: number;
}

/** Parts lie one after the other, from 0, without gaps. */
export type PackedRow = readonly PackedPart[];
export interface PackedPart {
  /** Index into what was packed. */
  readonly sample: number;
  /** Where it starts in its row. */
  readonly start: number;
  readonly length: number;
}

/** Takes samples, or their lengths alone. */
export function pack(samples: readonly (Sample | number)[] | Int32Array, { rowTokens }: PackOptions): PackedRow[] {
  if (!Number.isInteger(rowTokens) || rowTokens < 1) {
    throw new HoneError(`rowTokens is ${rowTokens}; a row holds a whole number of tokens, at least 1`, {
      code: "pack",
    });
  }
  const lengths = new Int32Array(samples.length);
  for (let index = 0; index < lengths.length; index++) lengths[index] = lengthOf(samples[index]!, index, rowTokens);
  const free = freeSpace(lengths.length, rowTokens);
  const rows: PackedPart[][] = [];
  let row = 0;
  let before = -1;
  for (const sample of longestFirst(lengths)) {
    const length = lengths[sample]!;
    // Equal lengths follow each other, and the rows before the last fit are too full for this length already.
    if (length !== before || free.of(row) < length) row = free.first(length);
    before = length;
    (rows[row] ??= []).push({ sample, start: rowTokens - free.of(row), length });
    free.take(row, length);
  }
  return rows;
}

function lengthOf(sample: Sample | number, index: number, rowTokens: number): number {
  const length = typeof sample === "number" ? sample : sample.tokens.length;
  const name = typeof sample === "number" ? `sample ${index}` : `sample ${index} (${sample.id})`;
  if (!Number.isInteger(length) || length < 0) throw new HoneError(`${name} has length ${length}`, { code: "pack" });
  if (length <= rowTokens) return length;
  throw new HoneError(`${name} has ${length} tokens; a row holds ${rowTokens}`, {
    code: "sample-too-long",
    hint: "Allow longer rows, or limit the tokens of a rollout.",
  });
}

/** A counting sort: lengths are small numbers, and there may be a million of them. */
function longestFirst(lengths: Int32Array): Int32Array {
  const next = new Int32Array(lengths.reduce((longest, length) => Math.max(longest, length), 0) + 1);
  for (const length of lengths) next[length] = next[length]! + 1;
  for (let length = next.length - 1, from = 0; length >= 0; length--) {
    const count = next[length]!;
    next[length] = from;
    from += count;
  }
  const order = new Int32Array(lengths.length);
  for (let index = 0; index < lengths.length; index++) order[next[lengths[index]!]!++] = index;
  return order;
}

interface FreeSpace {
  of(row: number): number;
  /** The first row with room for `length`. */
  first(length: number): number;
  take(row: number, length: number): void;
}

/** A tree of maxima over the rows, all empty at first: as many as there are samples always suffice. */
function freeSpace(rows: number, rowTokens: number): FreeSpace {
  const leaves = 2 ** Math.ceil(Math.log2(Math.max(rows, 1)));
  const most = new Int32Array(2 * leaves).fill(rowTokens);
  return {
    of: (row) => most[leaves + row]!,
    first: (length) => {
      let at = 1;
      while (at < leaves) at = most[2 * at]! >= length ? 2 * at : 2 * at + 1;
      return at - leaves;
    },
    take: (row, length) => {
      let at = leaves + row;
      most[at] = most[at]! - length;
      for (at >>= 1; at >= 1; at >>= 1) {
        const larger = Math.max(most[2 * at]!, most[2 * at + 1]!);
        if (most[at] === larger) break;
        most[at] = larger;
      }
    },
  };
}

/** The columns of one row, as long as the sum of its parts. Nothing is padded. */
export interface PackedColumns {
  readonly tokens: Int32Array;
  readonly weight: Float32Array;
  readonly advantage: Float32Array;
  readonly logprob: Float32Array;
  readonly temperature: Float32Array;
  /** Position of each token in its own sequence, from 0. */
  readonly positions: Int32Array;
  /** Where each sequence starts; attention never crosses from one to another. */
  readonly starts: Int32Array;
}

export function packedColumns(samples: readonly Sample[], row: PackedRow): PackedColumns {
  const length = row.reduce((sum, part) => sum + part.length, 0);
  const columns = {
    tokens: new Int32Array(length),
    weight: new Float32Array(length),
    advantage: new Float32Array(length),
    logprob: new Float32Array(length),
    temperature: new Float32Array(length),
    positions: new Int32Array(length),
    starts: Int32Array.from(row, (part) => part.start),
  };
  for (const { sample: index, start, length } of row) {
    const sample = samples[index];
    if (sample === undefined || sample.tokens.length !== length) {
      throw new HoneError(`the row was packed from other samples: it expects ${length} tokens in sample ${index}`, {
        code: "pack",
      });
    }
    columns.tokens.set(sample.tokens, start);
    columns.weight.set(sample.weight, start);
    columns.advantage.set(sample.advantage, start);
    columns.logprob.set(sample.logprob, start);
    const { values, lengths } = sample.temperature;
    for (let run = 0, at = start; run < values.length; run++) {
      columns.temperature.fill(values[run]!, at, at + lengths[run]!);
      at += lengths[run]!;
    }
    for (let position = 0; position < length; position++) columns.positions[start + position] = position;
  }
  return columns;
}
