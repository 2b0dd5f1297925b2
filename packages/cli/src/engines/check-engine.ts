// Whether an engine honours what a run asks of it, checked before anything starts. Every problem is named: a setting is never ignored in silence.
import { type EngineInfo, HoneError, type OptimizerStep } from "@hone/core";
import type { TrainOptions, Treatment } from "@hone/train";

export interface Asked extends Pick<TrainOptions, "adapter" | "optimizer" | "lead" | "seqLen"> {
  readonly treatments: ReadonlyMap<string, Treatment>;
  readonly environments: readonly Pick<TrainOptions["environments"][number], "name" | "sampling">[];
}

export function checkEngine(info: EngineInfo, asked: Asked): void {
  const problems = [
    ...lossProblems(info, asked),
    ...tuningProblems(info, asked),
    ...optimizerProblems(info, asked.optimizer),
    ...lengthProblems(info, asked),
    ...scheduleProblems(info, asked),
  ];
  if (problems.length === 0) return;
  throw new HoneError(`The engine \`${info.name}\` cannot do this run: ${problems.join("; ")}.`, {
    code: "unsupported",
    hint: "Change these settings, or use another engine.",
  });
}

function lossProblems(info: EngineInfo, { treatments }: Asked): string[] {
  return [...treatments].flatMap(([env, { algorithm }]) => {
    const needed = typeof algorithm.loss === "function" ? (["none", "cross_entropy"] as const) : [algorithm.loss.type];
    const missing = needed.filter((type) => !info.losses.includes(type));
    return missing.map((type) => `the algorithm of ${env} needs the loss ${type}, it has ${info.losses.join(", ")}`);
  });
}

function tuningProblems({ tuning }: EngineInfo, { adapter }: Asked): string[] {
  const kind = adapter === "full" ? "full" : "lora";
  return tuning.includes(kind) ? [] : [`it does not train ${kind === "full" ? "all weights" : "a LoRA adapter"}`];
}

/** Values that mean "not used" are honoured by everyone. */
const unused: Partial<OptimizerStep> = { weightDecay: 0, gradientClip: 0 };

function optimizerProblems(info: EngineInfo, step: OptimizerStep): string[] {
  const keys = Object.keys(step) as (keyof OptimizerStep)[];
  return keys
    .filter((key) => !info.optimizer.includes(key) && step[key] !== unused[key])
    .map((key) => `its optimiser does not take ${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`);
}

function lengthProblems({ contextTokens }: EngineInfo, { seqLen, environments }: Asked): string[] {
  const problems =
    seqLen > contextTokens ? [`seq_len ${seqLen} is longer than the model's context, ${contextTokens}`] : [];
  for (const { name, sampling } of environments) {
    const { maxTokens } = sampling;
    if (maxTokens === undefined || maxTokens < contextTokens) continue;
    problems.push(`max_tokens ${maxTokens} of ${name} leaves no room for a prompt in a context of ${contextTokens}`);
  }
  return problems;
}

function scheduleProblems(info: EngineInfo, { lead, environments }: Asked): string[] {
  const problems: string[] = [];
  const temperatures = new Set(environments.map(({ sampling }) => sampling.temperature ?? 1));
  if (info.temperature === "one" && temperatures.size > 1) {
    problems.push(`it takes one temperature for a batch, not ${[...temperatures].join(" and ")}`);
  }
  if (lead > 0 && !info.samplesDuringUpdate) {
    problems.push(`lead = ${lead} needs sampling to go on during updates; use lead = 0`);
  }
  if (lead === 0 && !info.pinnedPolicies) problems.push("lead = 0 samples from the policy of one step; use lead = 1");
  return problems;
}
