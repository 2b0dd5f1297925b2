// The embedded engine as a program sees it. Everything heavy runs in one thread of its own, trainer and sampler alike: weights are never
// copied between threads, and the same calls give the same bits. Here are only messages.
import { createRequire } from "node:module";
import type { Engine, EngineInfo } from "@hone/core";
import { Connection } from "./connection.ts";
import type { WorkerSettings } from "./protocol.ts";
import { remoteSampler, remoteTrainer } from "./remote.ts";

export interface CpuEngineOptions {
  /** A Hugging Face folder: config.json, safetensors, tokenizer.json. */
  readonly model: string;
  /** What `info.model` says and `open` expects; the folder's path unless given. */
  readonly name?: string;
  /** Holds one folder per checkpoint. Created when the first one is saved. */
  readonly checkpoints: string;
  /** As many as there are processors unless given. */
  readonly threads?: number;
  readonly prefer?: "native" | "wasm";
  /** At most: lowers the model's. */
  readonly contextTokens?: number;
  /** For keys and values of what is being sampled; 1 GiB, or one sequence of `contextTokens`, unless given. */
  readonly cacheBytes?: number;
  /** For published policies that can still be asked for; 512 MiB unless given, and at least four policies. */
  readonly snapshotBytes?: number;
  /** Computes activations twice instead of keeping them: slower, with less memory. */
  readonly isRecomputing?: boolean;
  /** Told once, at the start, what differs from what one might expect: WASM instead of the addon, a shorter context. */
  readonly onNotice?: (message: string) => void;
}

/** Resolves when the model is loaded. */
export async function createCpuEngine(options: CpuEngineOptions): Promise<Engine> {
  const { onNotice, name = options.model } = options;
  const program = createRequire(import.meta.url).resolve("#worker/engine-worker");
  const connection = new Connection(program, settingsOf(options, name));
  const ready = await connection.ready.catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  for (const notice of ready.notices) onNotice?.(notice);
  return {
    info: engineInfo(name, ready.contextTokens),
    open: async (spec) => remoteTrainer(connection, (await connection.call("open", { spec })).trainer),
    sampler: (policy) => remoteSampler(connection, policy),
    pressure: () => ({ ...connection.load(), capacity: ready.capacity }),
    close: () => connection.close(),
  };
}

/** By name: what else an object has may not be able to cross to another thread. */
function settingsOf(options: CpuEngineOptions, name: string): WorkerSettings {
  const { model, checkpoints, threads, prefer, contextTokens, cacheBytes, snapshotBytes, isRecomputing } = options;
  const wishes = { threads, prefer, contextTokens, cacheBytes, snapshotBytes, isRecomputing };
  const given = Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined));
  return { model, name, checkpoints, ...(given as Partial<WorkerSettings>) };
}

function engineInfo(model: string, contextTokens: number): EngineInfo {
  return {
    name: "cpu",
    model,
    contextTokens,
    losses: ["none", "cross_entropy", "importance_sampling", "ppo", "cispo", "dro", "dppo"],
    temperature: "per-token",
    tuning: ["lora", "full"],
    optimizer: ["learningRate", "betas", "epsilon", "weightDecay", "gradientClip"],
    pinnedPolicies: true,
    samplesDuringUpdate: true,
    swapsInFlight: true,
    sharesCompute: true,
    deterministic: true,
  };
}
