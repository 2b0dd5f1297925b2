// Tokens for the rows of one step: noise and limits of each sequence, one kernel call for all of them.
import type { Kernels } from "../kernel/kernels.ts";
import { philoxWords, tokenNoise } from "./noise.ts";
import type { Sequence } from "./sequence.ts";

export interface ChooserOptions {
  readonly kernels: Kernels;
  readonly vocabulary: number;
  readonly capacity: number;
}

export class TokenChooser {
  readonly #options: ChooserOptions;
  readonly #temperature: Float32Array;
  readonly #truncation: Float32Array;
  readonly #noise: Int32Array;
  readonly #words = new Int32Array(philoxWords);
  /** Of the last call, by row. */
  readonly tokens: Int32Array;
  readonly logprob: Float32Array;
  readonly untempered: Float32Array;

  constructor(options: ChooserOptions) {
    const { memory } = options.kernels;
    this.#options = options;
    this.#temperature = memory.floats(options.capacity);
    this.#truncation = memory.floats(options.capacity * 3);
    this.#noise = memory.ints(options.capacity * 2);
    this.tokens = memory.ints(options.capacity);
    this.logprob = memory.floats(options.capacity);
    this.untempered = memory.floats(options.capacity);
  }

  /** Draws the next token of each; `logits` has a row for each, computed by this version. */
  choose(sequences: readonly Sequence[], logits: Float32Array, version: number): void {
    const { kernels, vocabulary } = this.#options;
    let isTruncated = false;
    let row = 0;
    for (const sequence of sequences) {
      const { temperature, seed, topK = 0, topP = 1, minP = 0 } = sequence.job.sampling;
      this.#temperature[row] = temperature;
      tokenNoise({ seed, sequence: sequence.index, version, position: sequence.length }, this.#words);
      this.#noise[row * 2] = this.#words[0] ?? 0;
      this.#noise[row * 2 + 1] = this.#words[1] ?? 0;
      this.#truncation[row * 3] = Math.min(topK, vocabulary);
      this.#truncation[row * 3 + 1] = topP;
      this.#truncation[row * 3 + 2] = minP;
      isTruncated ||= topK > 0 || topP < 1 || minP > 0;
      row++;
    }
    kernels.sample.tokens({
      rows: sequences.length,
      vocabulary,
      logits,
      temperature: this.#temperature,
      noise: this.#noise,
      ...(isTruncated && { truncation: this.#truncation }),
      tokens: this.tokens,
      logprob: this.logprob,
      untempered: this.untempered,
    });
  }
}
