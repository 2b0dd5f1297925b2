// The WASM build: vectors of four, no fused multiply-add, works wherever Node runs. Other threads are workers that run the same
// module on the same memory and wait inside it; they are started without waiting for them, as a pool takes help when it comes.
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { HoneError } from "@hone/core";
import { argumentKinds, callError, type KernelArgument, type KernelName, mostArguments, otherKind } from "./calls.ts";
import type { KernelBuild } from "./kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";
import { type CompiledModule, webAssembly } from "./web-assembly.ts";

/** What native/wasm.c exports. */
interface WasmExports {
  readonly __heap_base: { readonly value: number };
  open(threads: number): number;
  stop(): void;
  kernelName(kernel: number): number;
  setNumber(at: number, value: number): void;
  setArray(at: number, kind: number, address: number, length: number): void;
  run(kernel: number, count: number): number;
  result(): number;
  problemArgument(): number;
  problemNeeded(): number;
  problemGiven(): number;
}

const stackBytes = 131_072;

/** A program of its own, as text: Node 20 starts no TypeScript, and this must also run from sources. */
const workerProgram = `
const { workerData } = require("node:worker_threads");
const { module, memory, stackTop, thread } = workerData;
const host = { allocate: () => 0, release: () => {} };
const { exports } = new WebAssembly.Instance(module, { env: { memory }, host });
exports.__stack_pointer.value = stackTop;
exports.work(thread);
`;

export function wasmBuild({ threads }: { readonly threads: number }): KernelBuild {
  const module = new webAssembly.Module(readFileSync(new URL("../../wasm/kernels.wasm", import.meta.url)));
  const memory = new WasmMemory();
  const host = {
    allocate: (bytes: number) => memory.allocateAddress(bytes >>> 0),
    release: (address: number) => memory.releaseAddress(address >>> 0),
  };
  const instance = new webAssembly.Instance(module, { env: { memory: memory.memory }, host });
  const exports = instance.exports as WasmExports;
  memory.begin(exports.__heap_base.value);
  if (exports.open(threads) === 0) throw new HoneError("no memory for the WASM kernels", { code: "out-of-memory" });
  const workers = startWorkers({ module, memory, threads });
  const numbers = kernelNumbers(exports, memory);
  let isClosed = false;
  return {
    info: { build: "wasm", instructionSet: "wasm", threads },
    memory,
    call: (kernel, ...values) => {
      const number = numbers.get(kernel);
      if (isClosed || number === undefined) {
        throw new HoneError(isClosed ? "the kernels are closed" : `there is no kernel ${kernel}`, { code: "kernels" });
      }
      return run({ exports, memory, kernel, number, values });
    },
    close: () => {
      isClosed = true;
      exports.stop();
      for (const worker of workers) void worker.terminate();
    },
  };
}

interface Run {
  readonly exports: WasmExports;
  readonly memory: WasmMemory;
  readonly kernel: KernelName;
  readonly number: number;
  readonly values: readonly KernelArgument[];
}

function run({ exports, memory, kernel, number, values }: Run): number {
  const count = Math.min(values.length, mostArguments);
  for (let at = 0; at < count; at++) setArgument(exports, memory, at, values[at]);
  const problem = exports.run(number, count);
  if (problem === 0) return exports.result();
  const argument = text(memory, exports.problemArgument());
  throw callError(kernel, { problem, argument, needed: exports.problemNeeded(), given: exports.problemGiven() });
}

function setArgument(exports: WasmExports, memory: WasmMemory, at: number, value: KernelArgument | undefined): void {
  if (typeof value === "number") exports.setNumber(at, value);
  else if (value === null || value === undefined) exports.setArray(at, 0, 0, 0);
  else exports.setArray(at, memory.owns(value) ? kindOf(value) : otherKind, value.byteOffset, value.length);
}

function kindOf(value: object): number {
  if (value instanceof Float32Array) return argumentKinds.indexOf("a Float32Array");
  if (value instanceof Int32Array) return argumentKinds.indexOf("an Int32Array");
  return value instanceof Uint16Array ? argumentKinds.indexOf("a Uint16Array") : otherKind;
}

function kernelNumbers(exports: WasmExports, memory: WasmMemory): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let number = 0, address = exports.kernelName(0); address !== 0; address = exports.kernelName(++number)) {
    numbers.set(text(memory, address), number);
  }
  return numbers;
}

/** Until the zero byte. */
function text(memory: WasmMemory, address: number): string {
  const bytes = new Uint8Array(memory.memory.buffer, address);
  return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
}

interface Workers {
  readonly module: CompiledModule;
  readonly memory: WasmMemory;
  readonly threads: number;
}

function startWorkers({ module, memory, threads }: Workers): readonly Worker[] {
  return Array.from({ length: threads - 1 }, (_, index) => {
    const stackTop = memory.allocateAddress(stackBytes) + stackBytes;
    const workerData = { module, memory: memory.memory, stackTop, thread: index + 1 };
    const worker = new Worker(workerProgram, { eval: true, execArgv: [], workerData });
    worker.unref();
    return worker;
  });
}
