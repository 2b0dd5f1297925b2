// From rows of logits to tokens, by noise that is handed in. A row's token and logprobs have the same bits alone and among others,
// and the logprobs are those of the loss for that token and temperature.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

export interface SampleTokens<F> {
  readonly rows: number;
  readonly vocabulary: number;
  /** [rows][vocabulary] */
  readonly logits: F;
  /** [rows]: 0 takes the likeliest token, the first of equals. */
  readonly temperature: F;
  /** [rows][2]: random bits, of which 27 and 26 are used: the token is where the summed distribution passes that part of 1. */
  readonly noise: Int32Array;
  /**
   * [rows][3]: top-k (0: all), top-p (1: all), min-p (0: all), applied in this order. Top-p is a part of what top-k left, min-p one
   * of the likeliest token. Left out where no row is truncated: it costs a heap over the vocabulary.
   */
  readonly truncation?: F;
  /** [rows], written. */
  readonly tokens: Int32Array;
  /** [rows], written: before truncation, at the temperature; at 1 where that is 0. Not finite where the logits are not. */
  readonly logprob: F;
  /** [rows], written: the same at temperature 1. */
  readonly untempered: F;
}

export interface SampleKernels<F extends Floats = Float32Array> {
  tokens(sample: SampleTokens<F>): void;
}

export function sampleKernels(call: KernelCall): SampleKernels {
  return {
    tokens: ({ rows, vocabulary, logits, temperature, noise, truncation, tokens, logprob, untempered }) => {
      const given = [rows, vocabulary, logits, temperature, noise, truncation ?? null] as const;
      call("sampleTokens", ...given, tokens, logprob, untempered);
    },
  };
}
