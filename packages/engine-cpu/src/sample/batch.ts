// The rows of one call of the model, written into arrays that are used again at every step.
import type { StepBatch, StepModel } from "../model/step.ts";
import type { Sequence } from "./sequence.ts";

export interface BatchRoom {
  readonly capacity: number;
  readonly stepTokens: number;
}

export class BatchWriter {
  readonly #pageTokens: number;
  readonly #tokens: Int32Array;
  readonly #positions: Int32Array;
  readonly #slots: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  readonly #logitRows: Int32Array;
  readonly #table: Int32Array;

  constructor({ contextTokens, pageTokens }: StepModel, { capacity, stepTokens }: BatchRoom) {
    this.#pageTokens = pageTokens;
    this.#tokens = new Int32Array(stepTokens);
    this.#positions = new Int32Array(stepTokens);
    this.#slots = new Int32Array(stepTokens);
    this.#starts = new Int32Array(capacity + 1);
    this.#lengths = new Int32Array(capacity);
    this.#logitRows = new Int32Array(capacity);
    this.#table = new Int32Array(capacity * Math.ceil(contextTokens / pageTokens));
  }

  /** The next `take` tokens of each. Logits are wanted of those that have no token left; valid until the next call. */
  write(sequences: readonly Sequence[]): StepBatch {
    const tableWidth = sequences.reduce((most, { pages }) => Math.max(most, pages.length), 0);
    let rows = 0;
    let logitRows = 0;
    sequences.forEach((sequence, index) => {
      this.#starts[index] = rows;
      this.#lengths[index] = sequence.computed + sequence.take;
      for (let at = 0; at < sequence.pages.length; at++) this.#table[index * tableWidth + at] = sequence.pages[at] ?? 0;
      rows = this.#writeRows(sequence, rows);
      if (sequence.take === sequence.pending) this.#logitRows[logitRows++] = rows - 1;
    });
    this.#starts[sequences.length] = rows;
    return {
      tokens: this.#tokens.subarray(0, rows),
      positions: this.#positions.subarray(0, rows),
      slots: this.#slots.subarray(0, rows),
      starts: this.#starts.subarray(0, sequences.length + 1),
      lengths: this.#lengths.subarray(0, sequences.length),
      table: this.#table.subarray(0, sequences.length * tableWidth),
      tableWidth,
      logitRows: this.#logitRows.subarray(0, logitRows),
    };
  }

  #writeRows({ tokens, computed, take, pages }: Sequence, from: number): number {
    for (let at = 0; at < take; at++) {
      const position = computed + at;
      const page = pages[Math.floor(position / this.#pageTokens)] ?? 0;
      this.#tokens[from + at] = tokens[position] ?? 0;
      this.#positions[from + at] = position;
      this.#slots[from + at] = page * this.#pageTokens + (position % this.#pageTokens);
    }
    return from + take;
  }
}
