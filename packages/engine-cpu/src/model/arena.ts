// Activations come from here and go back: after the first pass nothing is allocated any more. Sizes are rounded up to eighths of powers
// of two, so that rows of slightly different length use the same memory.
import type { Floats, KernelMemory } from "../kernel/memory.ts";

export class Arena<F extends Floats = Float32Array> {
  readonly #memory: KernelMemory<F>;
  readonly #free = new Map<number, F[]>();
  /** What a view that was handed out is a part of. */
  readonly #whole = new WeakMap<object, F>();
  #bytes = 0;

  constructor(memory: KernelMemory<F>) {
    this.#memory = memory;
  }

  /** Everything it ever took from the kernels and did not give back. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Holds whatever was there before. */
  take(length: number): F {
    const size = sizeClass(length);
    const whole = this.#free.get(size)?.pop() ?? this.#allocate(size);
    const view = whole.subarray(0, length) as F;
    this.#whole.set(view, whole);
    return view;
  }

  give(view: F): void {
    const whole = this.#whole.get(view);
    if (whole === undefined) throw new RangeError("an array was given back that was not taken, or twice");
    this.#whole.delete(view);
    const free = this.#free.get(whole.length);
    if (free === undefined) this.#free.set(whole.length, [whole]);
    else free.push(whole);
  }

  /** Back to the kernels with all that is not in use. */
  trim(): void {
    for (const arrays of this.#free.values()) {
      for (const array of arrays) {
        this.#bytes -= array.byteLength;
        this.#memory.release(array);
      }
    }
    this.#free.clear();
  }

  #allocate(size: number): F {
    const array = this.#memory.floats(size);
    this.#bytes += array.byteLength;
    return array;
  }
}

/** At most an eighth more than asked for. */
function sizeClass(length: number): number {
  if (length <= 64) return 64;
  const step = 2 ** (Math.floor(Math.log2(length)) - 3);
  return Math.ceil(length / step) * step;
}
