// Every build that this machine can run, for tests that must hold on all of them. Without an addon only WASM is there.
import { readFileSync } from "node:fs";
import type { KernelBuild } from "../kernels.ts";
import { type Addon, loadAddon, nativeBuild } from "../native.ts";
import { wasmBuild } from "../wasm.ts";

export interface NamedBuild {
  readonly name: string;
  readonly open: (threads: number) => KernelBuild;
}

/** Undefined where it was not built: `npm run build:native`. */
export function addonHere(): Addon | undefined {
  const manifest = readFileSync(new URL("../../../wasm/kernels.json", import.meta.url), "utf8");
  const addon = loadAddon((JSON.parse(manifest) as { readonly sources: string }).sources);
  return "reason" in addon ? undefined : addon;
}

export function buildsHere(): readonly NamedBuild[] {
  const addon = addonHere();
  const native = (addon?.instructionSets ?? []).map((instructionSet): NamedBuild => {
    const open = (threads: number): KernelBuild => {
      if (addon === undefined) throw new Error("there is no addon");
      return nativeBuild(addon, { threads, instructionSet });
    };
    return { name: instructionSet, open };
  });
  return [...native, { name: "wasm", open: (threads) => wasmBuild({ threads }) }];
}

/** Builds that promise the same bits as each other. */
export function families(builds: readonly NamedBuild[]): readonly (readonly NamedBuild[])[] {
  const isFused = ({ name }: NamedBuild): boolean => name !== "wasm" && name !== "baseline";
  return [builds.filter(isFused), builds.filter((build) => !isFused(build))].filter((family) => family.length > 1);
}
