// Where the arrays of kernels come from. Always zero at first, aligned to 64 bytes, and in shared memory: views stay valid when
// more is allocated, and can be handed to other threads. The WASM kernels work on their own memory and accept no other arrays.

/** What a kernel computes with. Float64Array only in the reference, for exact gradients. */
export type Floats = Float32Array | Float64Array;

export interface KernelMemory<F extends Floats = Float32Array> {
  floats(length: number): F;
  ints(length: number): Int32Array;
  halves(length: number): Uint16Array;
  /** Gives an array back; it must not be used afterwards. Arrays that nobody keeps need this on WASM only. */
  release(array: F | Int32Array | Uint16Array): void;
  /** Handed out and not given back. */
  readonly usedBytes: number;
}

export const alignment = 64;

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
