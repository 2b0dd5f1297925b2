// Rows by number: token embeddings, and the positions of a batch that carry a loss.
import type { KernelCall } from "./calls.ts";
import type { Floats } from "./memory.ts";

interface RowSelection {
  readonly rows: number;
  readonly width: number;
  /** Rows of the table; every index is below. */
  readonly tableRows: number;
  /** [rows] */
  readonly index: Int32Array;
}
export interface GatherRows<F> extends RowSelection {
  readonly out: F;
  readonly table: F;
}
export interface ScatterRows<F> extends RowSelection {
  /** Added to. */
  readonly table: F;
  readonly input: F;
}

export interface RowKernels<F extends Floats = Float32Array> {
  /** out[i] = table[index[i]] */
  gather(selection: GatherRows<F>): void;
  /** table[index[i]] += input[i], first i first */
  scatterAdd(selection: ScatterRows<F>): void;
}

export function rowKernels(call: KernelCall): RowKernels {
  return {
    gather: ({ rows, width, tableRows, out, table, index }) => {
      call("gatherRows", rows, width, tableRows, out, table, index);
    },
    scatterAdd: ({ rows, width, tableRows, table, input, index }) => {
      call("scatterRows", rows, width, tableRows, table, input, index);
    },
  };
}
