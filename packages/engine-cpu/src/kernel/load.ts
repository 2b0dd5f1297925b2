// Chooses the build: the addon where it can be loaded, WASM otherwise. Why it fell back is data; whoever starts the engine says it once.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { HoneError } from "@hone/core";
import { type Kernels, kernelsOf } from "./kernels.ts";
import { loadAddon, nativeBuild } from "./native.ts";
import { wasmBuild } from "./wasm.ts";

export interface LoadOptions {
  /** "native" falls back to WASM where it must; "native" unless given. */
  readonly prefer?: "native" | "wasm";
  /** The caller's included; as many as there are processors unless given. */
  readonly threads?: number;
  /** The calling thread too gives way to others from now on, as the addon's own threads do. Nothing changes on WASM. */
  readonly isBackground?: boolean;
  /** One of a processor's sets, for tests and comparisons; the best unless given. */
  readonly instructionSet?: string;
}
export interface LoadedKernels {
  readonly kernels: Kernels;
  /** Why WASM is used although the addon was preferred. */
  readonly fallback?: string;
}

const mostThreads = 64;

export function loadKernels(options: LoadOptions = {}): LoadedKernels {
  const { prefer = "native", threads, isBackground = false, instructionSet } = options;
  const count = threads ?? Math.min(availableParallelism(), mostThreads);
  if (!Number.isInteger(count) || count < 1 || count > mostThreads) {
    throw new HoneError(`threads is ${count}; it must be a whole number from 1 to ${mostThreads}`, { code: "kernels" });
  }
  if (prefer === "wasm") return { kernels: kernelsOf(wasmBuild({ threads: count })) };
  const addon = loadAddon(sourceDigest());
  if ("reason" in addon) return { kernels: kernelsOf(wasmBuild({ threads: count })), fallback: addon.reason };
  const settings = { threads: count, isBackground, ...(instructionSet !== undefined && { instructionSet }) };
  return { kernels: kernelsOf(nativeBuild(addon, settings)) };
}

/** Of the C sources that the committed WASM was built from; an addon from other sources would not fit this code. */
function sourceDigest(): string {
  const file = new URL("../../wasm/kernels.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly sources: string }).sources;
}
