// An engine by its name in a run's configuration. Engines are heavy: each is loaded when it is asked for. Programs and tests may bring their own.
import { nearest } from "@hone/config";
import { type Engine, HoneError } from "@hone/core";
import type { ResolvedRun } from "@hone/train";

export interface EngineRequest {
  /** Folder of the model, as Hugging Face lays it out. */
  readonly model: string;
  /** As the user named it. */
  readonly name: string;
  /** Folder that checkpoints are written to and opened from. */
  readonly checkpoints: string;
  /** Longest sequence; the model's context unless given. */
  readonly contextTokens?: number;
  /** `[cpu]` of the configuration. */
  readonly cpu?: NonNullable<ResolvedRun["cpu"]>;
  readonly onNotice?: (notice: string) => void;
}
export type OpenEngine = (request: EngineRequest) => Promise<Engine>;

const planned: readonly string[] = ["torch", "tinker", "verl"];

export function engineNamed(name: string): OpenEngine {
  if (name === "cpu") return openCpu;
  const isPlanned = planned.includes(name);
  const meant = nearest(name, ["cpu", ...planned]);
  const said = isPlanned
    ? `The engine \`${name}\` is not part of this version.`
    : `There is no engine \`${name}\`.${meant === undefined ? "" : ` Did you mean \`${meant}\`?`}`;
  throw new HoneError(said, { code: "unknown-engine", hint: 'Set engine = "cpu": it needs no GPU and no Python.' });
}

const openCpu: OpenEngine = async ({ model, name, checkpoints, contextTokens, cpu, onNotice }) => {
  const { createCpuEngine } = await import("@hone/engine-cpu");
  return createCpuEngine({
    model,
    name,
    checkpoints,
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(cpu === undefined ? {} : { prefer: cpu.prefer, isRecomputing: cpu.recompute }),
    ...(cpu?.threads === undefined ? {} : { threads: cpu.threads }),
    ...(onNotice === undefined ? {} : { onNotice }),
  });
};
