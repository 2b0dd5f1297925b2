// The addon: kernels for this machine's processor, compiled by `npm run build:native`. Worker threads run at lower priority, so that
// the program's own thread gets the processor when it needs it.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { HoneError } from "@hone/core";
import { callError, type CallProblem, type KernelArgument, type KernelName } from "./calls.ts";
import type { KernelBuild } from "./kernels.ts";
import { alignment, type KernelMemory } from "./memory.ts";

export interface Addon {
  readonly kernels: readonly KernelName[];
  /** The best first. */
  readonly instructionSets: readonly string[];
  /** Of the sources it was built from. */
  readonly digest: readonly [string];
  open(threads: number, niceness: number, instructionSet: number): AddonKernels;
  /** Of a new array: how far it starts from a multiple of 64 bytes. Large ones get large pages where the system has them. */
  settle(array: Uint8Array): number;
  lowerPriority(niceness: number): void;
}
interface AddonKernels {
  readonly threads: number;
  call(kernel: number, ...values: readonly KernelArgument[]): number | CallProblem;
  close(): void;
}

export interface NativeOptions {
  readonly threads: number;
  readonly isBackground?: boolean;
  /** One of the addon's; the best unless given. */
  readonly instructionSet?: string;
}

/** On Linux as `nice` counts: 0 is normal, 19 the least. */
const niceness = 5;

/** The addon, or why there is none. It must come from the sources that `digest` names. */
export function loadAddon(digest: string): Addon | { readonly reason: string } {
  const name = `${process.platform}-${process.arch}`;
  const file = fileURLToPath(new URL(`../../build/${name}/kernels.node`, import.meta.url));
  try {
    const addon = createRequire(import.meta.url)(file) as Addon;
    if (addon.digest[0] === digest) return addon;
    return { reason: "the addon was built from other sources; `npm run build:native` builds it anew" };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND";
    if (isMissing)
      return {
        reason: `there is no addon for ${name}; \`npm run build:native\` builds it where there is a C compiler`,
      };
    return { reason: `the addon for ${name} does not load: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export function nativeBuild(addon: Addon, options: NativeOptions): KernelBuild {
  const { threads, isBackground = false, instructionSet } = options;
  const set = instructionSet === undefined ? 0 : addon.instructionSets.indexOf(instructionSet);
  if (set < 0) {
    throw new HoneError(`this processor has no instruction set "${instructionSet}"`, {
      code: "kernels",
      hint: `It has: ${addon.instructionSets.join(", ")}.`,
    });
  }
  if (isBackground) addon.lowerPriority(niceness);
  const opened = addon.open(threads, niceness, set);
  const numbers = new Map(addon.kernels.map((name, index) => [name, index]));
  return {
    info: { build: "native", instructionSet: addon.instructionSets[set] ?? "", threads: opened.threads },
    memory: nativeMemory(addon),
    call: (kernel, ...values) => {
      const result = opened.call(numbers.get(kernel) ?? -1, ...values);
      if (typeof result !== "number") throw callError(kernel, result);
      return result;
    },
    close: () => opened.close(),
  };
}

/** Freed with the last view; counted until it is given back. */
function nativeMemory(addon: Addon): KernelMemory {
  let usedBytes = 0;
  const place = (bytes: number): { readonly buffer: SharedArrayBuffer; readonly offset: number } => {
    try {
      const buffer = new SharedArrayBuffer(bytes + alignment);
      const offset = (alignment - addon.settle(new Uint8Array(buffer))) % alignment;
      usedBytes += bytes;
      return { buffer, offset };
    } catch (cause) {
      throw new HoneError(`no memory for ${bytes} bytes`, { code: "out-of-memory", cause });
    }
  };
  return {
    floats: (length) => {
      const { buffer, offset } = place(length * 4);
      return new Float32Array(buffer, offset, length);
    },
    ints: (length) => {
      const { buffer, offset } = place(length * 4);
      return new Int32Array(buffer, offset, length);
    },
    halves: (length) => {
      const { buffer, offset } = place(length * 2);
      return new Uint16Array(buffer, offset, length);
    },
    release: (array) => {
      usedBytes -= array.byteLength;
    },
    get usedBytes() {
      return usedBytes;
    },
  };
}
