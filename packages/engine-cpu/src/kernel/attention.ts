// Causal attention with grouped queries. Training runs over packed sequences, the sampler over pages of cached keys and values;
// both use the same rows of arithmetic, so a token's output has the same bits in training, prefill and decoding.
import type { KernelCall } from "./calls.ts";
import { type Floats, roundUp } from "./memory.ts";

export interface AttentionShape {
  readonly heads: number;
  /** Divides `heads`. */
  readonly keyHeads: number;
  /** At most 256. */
  readonly headWidth: number;
  /** Scores are multiplied by it; usually 1 / sqrt(headWidth). */
  readonly scale: number;
}
interface Packed extends AttentionShape {
  readonly tokens: number;
  /** [sequences + 1]: where each sequence starts, and at the end `tokens`. */
  readonly starts: Int32Array;
}
export interface AttentionForward<F> extends Packed {
  /** [tokens][heads][headWidth] */
  readonly out: F;
  readonly queries: F;
  /** [tokens][keyHeads][headWidth] */
  readonly keys: F;
  readonly values: F;
  /** [tokens][heads]: kept for the backward pass. */
  readonly logSum?: F;
}
export interface AttentionBackward<F> extends Packed {
  /** These three are overwritten. */
  readonly queryGradient: F;
  readonly keyGradient: F;
  readonly valueGradient: F;
  readonly outputGradient: F;
  readonly out: F;
  readonly logSum: F;
  readonly queries: F;
  readonly keys: F;
  readonly values: F;
}

/** Pages of one layer. What lies in them is the kernels' own affair; `pageFloats` says how much room they need. */
export interface KeyValuePages<F> {
  readonly keyPages: F;
  readonly valuePages: F;
  readonly pages: number;
  /** A multiple of 16. */
  readonly pageTokens: number;
}
export interface AttentionStore<F> extends AttentionShape, KeyValuePages<F> {
  readonly tokens: number;
  /** [tokens][keyHeads][headWidth] */
  readonly keys: F;
  readonly values: F;
  /** [tokens]: page x pageTokens + place in the page */
  readonly slots: Int32Array;
}
export interface AttentionPaged<F> extends Packed, KeyValuePages<F> {
  /** [tokens][heads][headWidth]: for each sequence its newest tokens, whose keys and values are stored already. */
  readonly out: F;
  readonly queries: F;
  /** [sequences]: tokens of each, the new ones included. */
  readonly lengths: Int32Array;
  /** [sequences][tableWidth]: the pages of each, in order. Entries past its length are not read. */
  readonly table: Int32Array;
  readonly tableWidth: number;
}

export interface AttentionKernels<F extends Floats = Float32Array> {
  forward(attention: AttentionForward<F>): void;
  backward(attention: AttentionBackward<F>): void;
  store(attention: AttentionStore<F>): void;
  paged(attention: AttentionPaged<F>): void;
}

/** Floats of one page of keys and of one page of values. */
export function pageFloats({
  keyHeads,
  headWidth,
  pageTokens,
}: {
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly pageTokens: number;
}): {
  readonly keys: number;
  readonly values: number;
} {
  return { keys: pageTokens * keyHeads * headWidth, values: pageTokens * keyHeads * roundUp(headWidth, 16) };
}

export function attentionKernels(call: KernelCall): AttentionKernels {
  const shape = ({ heads, keyHeads, headWidth, scale }: AttentionShape) => [heads, keyHeads, headWidth, scale] as const;
  return {
    forward: (a) => {
      const { tokens, starts, out, logSum, queries, keys, values } = a;
      call(
        "attentionForward",
        ...shape(a),
        tokens,
        starts.length - 1,
        starts,
        out,
        logSum ?? null,
        queries,
        keys,
        values,
      );
    },
    backward: (a) => {
      const gradients = [a.queryGradient, a.keyGradient, a.valueGradient, a.outputGradient] as const;
      const kept = [a.out, a.logSum, a.queries, a.keys, a.values] as const;
      call("attentionBackward", ...shape(a), a.tokens, a.starts.length - 1, a.starts, ...gradients, ...kept);
    },
    store: (a) => {
      const { pages, pageTokens, tokens, keyPages, valuePages, keys, values, slots } = a;
      call("attentionStore", ...shape(a), pages, pageTokens, tokens, keyPages, valuePages, keys, values, slots);
    },
    paged: (a) => {
      const sizes = [a.pages, a.pageTokens, a.tokens, a.starts.length - 1, a.tableWidth] as const;
      const where = [a.starts, a.lengths, a.table] as const;
      call("attentionPaged", ...shape(a), ...sizes, ...where, a.out, a.queries, a.keyPages, a.valuePages);
    },
  };
}
