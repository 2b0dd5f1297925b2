// What an engine will take, part by part, before it is created: for whoever chooses a model or a size. Reads config.json alone.
import type { AdapterSpec } from "@hone/core";
import { loadDecoderConfig } from "../model/load-model.ts";
import { type MemoryPart, memoryPlan } from "../model/memory-plan.ts";
import { pageBytes } from "../model/step-model.ts";
import { planCache } from "../worker/cache-plan.ts";
import type { CpuEngineOptions } from "./create-cpu-engine.ts";
import { leastSnapshots, rowTokens, usualSnapshotBytes } from "./defaults.ts";

export interface EngineMemoryOptions extends Pick<
  CpuEngineOptions,
  "model" | "contextTokens" | "cacheBytes" | "snapshotBytes" | "isRecomputing"
> {
  readonly adapter: (Pick<AdapterSpec, "rank"> & Partial<Pick<AdapterSpec, "targets">>) | "full";
}
export interface EngineMemory {
  readonly contextTokens: number;
  /** At most, when everything is in use. */
  readonly parts: readonly MemoryPart[];
}

export async function planEngineMemory(options: EngineMemoryOptions): Promise<EngineMemory> {
  const { model, adapter, snapshotBytes = usualSnapshotBytes, isRecomputing = false } = options;
  const config = await loadDecoderConfig(model, options);
  const { contextTokens, pages, pageTokens } = planCache(config, options);
  const shape = { ...config, contextTokens };
  const plan = (snapshots: number): readonly MemoryPart[] =>
    memoryPlan(shape, {
      adapter,
      rowTokens,
      isRecomputing,
      snapshots,
      cacheBytes: pages * pageBytes(shape, pageTokens),
    });
  const bytes = (parts: readonly MemoryPart[]): number => parts.reduce((sum, part) => sum + part.bytes, 0);
  const snapshot = bytes(plan(1)) - bytes(plan(0));
  return { contextTokens, parts: plan(Math.max(leastSnapshots, Math.floor(snapshotBytes / snapshot))) };
}
