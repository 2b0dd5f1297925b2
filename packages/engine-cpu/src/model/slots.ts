// Whole numbers where the kernels can reach them: token ids, positions, tables. One array per purpose, grown when needed.
import type { Floats, KernelMemory } from "../kernel/memory.ts";

export class IntSlots<Name extends string> {
  readonly #memory: Pick<KernelMemory<Floats>, "ints" | "release">;
  readonly #arrays = new Map<Name, Int32Array>();

  constructor(memory: Pick<KernelMemory<Floats>, "ints" | "release">) {
    this.#memory = memory;
  }

  /** A copy of `values`, valid until the same name is used again. */
  put(name: Name, values: ArrayLike<number>): Int32Array {
    let array = this.#arrays.get(name);
    if (array === undefined || array.length < values.length) {
      if (array !== undefined) this.#memory.release(array);
      array = this.#memory.ints(Math.max(64, Math.ceil(values.length * 1.5)));
      this.#arrays.set(name, array);
    }
    array.set(values);
    return array.subarray(0, values.length);
  }

  release(): void {
    for (const array of this.#arrays.values()) this.#memory.release(array);
    this.#arrays.clear();
  }
}
