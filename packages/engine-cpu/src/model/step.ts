// What the sampler asks of a model: new tokens of several sequences in, logits of some of them out. Keys and values live in pages.
// Invariant: a token's logits have the same bits whatever else is in the step, and the same as in training.
import type { PolicyWeights } from "./weights.ts";

export interface StepBatch {
  /** [rows]: the new tokens of each sequence, one sequence after the other. */
  readonly tokens: Int32Array;
  /** [rows]: place of each in its sequence, from 0. */
  readonly positions: Int32Array;
  /** [rows]: page x pageTokens + place in the page, where its key and value are stored by this step. */
  readonly slots: Int32Array;
  /** [sequences + 1]: first row of each sequence, and at the end `rows`. */
  readonly starts: Int32Array;
  /** [sequences]: tokens of each, the new ones included. */
  readonly lengths: Int32Array;
  /** [sequences][tableWidth]: the pages of each, in order. */
  readonly table: Int32Array;
  readonly tableWidth: number;
  /** Rows whose logits are wanted, ascending; usually the last of each sequence. */
  readonly logitRows: Int32Array;
}

/** Arrays handed in may be ordinary ones: they are copied to where the kernels can reach them. */
export interface StepModel {
  readonly vocabulary: number;
  /** Most tokens of a sequence. */
  readonly contextTokens: number;
  readonly pages: number;
  readonly pageTokens: number;
  /** [logitRows][vocabulary], valid until the next call. Computes all layers with the keys and values of earlier steps. */
  logits(policy: PolicyWeights, batch: StepBatch): Float32Array;
}
