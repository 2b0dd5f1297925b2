// The linear memory of the WASM kernels: a first-fit list of free blocks, joined again when given back, grown when nothing fits.
// It is a shared memory: growing it leaves every view valid. Addresses fit 32 bits, so at most 4 GiB.
import { HoneError } from "@hone/core";
import { alignment, type KernelMemory, roundUp } from "./memory.ts";
import { type LinearMemory, webAssembly } from "./web-assembly.ts";

const pageBytes = 65_536;
const growthBytes = 16 * 2 ** 20;
/** The second where a system does not let 4 GiB of addresses be reserved. */
const maximumPages = [65_536, 16_384] as const;

interface Block {
  readonly start: number;
  readonly bytes: number;
}

export class WasmMemory implements KernelMemory {
  readonly memory: LinearMemory;
  readonly #used = new Map<number, number>();
  /** By address; neighbours never touch. */
  #free: Block[] = [];
  /** The buffer objects of all views so far: after a growth, by this thread or seen by others, there is another over the same memory. */
  readonly #buffers = new WeakSet<object>();
  #usedBytes = 0;

  constructor() {
    this.memory = reserve();
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** What follows the module's own data is free. Called once, before anything is allocated. */
  begin(heapBase: number): void {
    const start = roundUp(heapBase, alignment);
    this.#free = [{ start, bytes: this.memory.buffer.byteLength - start }];
  }

  floats(length: number): Float32Array {
    const start = this.#place(length * 4);
    return new Float32Array(this.#buffer(), start, length).fill(0);
  }

  ints(length: number): Int32Array {
    const start = this.#place(length * 4);
    return new Int32Array(this.#buffer(), start, length).fill(0);
  }

  halves(length: number): Uint16Array {
    const start = this.#place(length * 2);
    return new Uint16Array(this.#buffer(), start, length).fill(0);
  }

  release(array: Float32Array | Int32Array | Uint16Array): void {
    if (this.owns(array)) this.releaseAddress(array.byteOffset);
  }

  owns(array: ArrayBufferView): boolean {
    return this.#buffers.has(array.buffer);
  }

  /** 0 where there is no room. */
  allocateAddress(bytes: number): number {
    const needed = Math.max(roundUp(bytes, alignment), alignment);
    let at = this.#free.findIndex((block) => block.bytes >= needed);
    if (at < 0) {
      if (!this.#grow(needed)) return 0;
      at = this.#free.findIndex((block) => block.bytes >= needed);
    }
    const block = this.#free[at];
    if (block === undefined) return 0;
    const rest = { start: block.start + needed, bytes: block.bytes - needed };
    this.#free.splice(at, 1, ...(rest.bytes > 0 ? [rest] : []));
    this.#used.set(block.start, needed);
    this.#usedBytes += needed;
    return block.start;
  }

  releaseAddress(start: number): void {
    const bytes = this.#used.get(start);
    if (bytes === undefined) return;
    this.#used.delete(start);
    this.#usedBytes -= bytes;
    this.#join({ start, bytes });
  }

  #place(bytes: number): number {
    const start = this.allocateAddress(bytes);
    if (start !== 0) return start;
    throw new HoneError(`no memory for ${bytes} bytes: the WASM kernels hold ${this.#usedBytes} already`, {
      code: "out-of-memory",
      hint: "WASM can address 4 GiB; the addon has no such limit (`npm run build:native`).",
    });
  }

  #buffer(): SharedArrayBuffer {
    const { buffer } = this.memory;
    this.#buffers.add(buffer);
    return buffer;
  }

  #grow(bytes: number): boolean {
    const before = this.memory.buffer.byteLength;
    for (const wanted of [Math.max(bytes, growthBytes), bytes]) {
      try {
        this.memory.grow(Math.ceil(wanted / pageBytes));
      } catch {
        continue;
      }
      this.#join({ start: before, bytes: this.memory.buffer.byteLength - before });
      return true;
    }
    return false;
  }

  #join(block: Block): void {
    const after = this.#free.findIndex(({ start }) => start > block.start);
    const at = after < 0 ? this.#free.length : after;
    const previous = this.#free[at - 1];
    const next = this.#free[at];
    const joinsPrevious = previous !== undefined && previous.start + previous.bytes === block.start;
    const joinsNext = next !== undefined && block.start + block.bytes === next.start;
    const start = joinsPrevious ? previous.start : block.start;
    const end = joinsNext ? next.start + next.bytes : block.start + block.bytes;
    const from = joinsPrevious ? at - 1 : at;
    this.#free.splice(from, Number(joinsPrevious) + Number(joinsNext), { start, bytes: end - start });
  }
}

function reserve(): LinearMemory {
  let cause: unknown;
  for (const maximum of maximumPages) {
    try {
      return new webAssembly.Memory({ initial: growthBytes / pageBytes, maximum, shared: true });
    } catch (error) {
      cause = error;
    }
  }
  throw new HoneError("this system gives no memory for the WASM kernels", { code: "out-of-memory", cause });
}
