// What no single key can tell: checks across the keys of a run. Pure; each problem names the key it is shown at, in the schema's spelling.
// A setting that would do nothing is a problem too: whoever wrote it expects something of it.
import { HoneError } from "@hone/core";
import { comparesRewards } from "../algorithm/config.ts";
import { createAlgorithm } from "../algorithm/create.ts";
import { normaliserOf } from "../algorithm/normaliser-config.ts";
import { algorithmOf, batchSizeOf, evalEnvsOf, leadOf, maxStepsOf, samplingOf, scheduleOf } from "./defaults.ts";
import { environmentName, type PolicySampling, type TrainEnvConfig } from "./env-config.ts";
import type { RunFields } from "./run-config.ts";

export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export function checkRun(run: RunFields): readonly Problem[] {
  return [
    ...checkSizes(run),
    ...checkNames(run.env, ["env"]),
    ...checkRatios(run),
    ...checkSampling(run),
    ...checkAlgorithms(run),
    ...checkTeacher(run),
    ...checkDifficulty(run),
    ...checkSchedule(run),
    ...checkEvaluation(run),
  ];
}

function checkSizes(run: RunFields): Problem[] {
  const { groupSize, engine, maxOffPolicySteps, seqLen, cpu } = run;
  const problems: Problem[] = [];
  const batchSize = batchSizeOf(run);
  if (batchSize % groupSize !== 0) {
    const below = Math.floor(batchSize / groupSize) * groupSize;
    const near = below === 0 ? `${groupSize} is` : `${below} and ${below + groupSize} are`;
    problems.push({
      path: ["batchSize"],
      message: `${batchSize} is not a multiple of group_size ${groupSize}; ${near}`,
    });
  }
  const lead = leadOf(run);
  if (maxOffPolicySteps < lead && run.stale === "drop") {
    const message = `is less than lead, ${lead}: whatever is collected ahead would be dropped as too old`;
    problems.push({ path: ["maxOffPolicySteps"], message });
  }
  for (const [index, env] of run.env.entries()) {
    const { maxTokens } = samplingOf(run, env);
    if (seqLen === undefined || maxTokens === undefined || maxTokens < seqLen) continue;
    const path = env.sampling?.maxTokens === undefined ? ["sampling"] : ["env", index, "sampling"];
    const message = `${maxTokens} leaves no room for a prompt: seq_len is ${seqLen}`;
    problems.push({ path: [...path, "maxTokens"], message });
  }
  if (cpu !== undefined && engine !== "cpu") {
    problems.push({ path: ["cpu"], message: `has no effect with engine "${engine}"` });
  }
  return problems;
}

/** `reward/mean`, `reward/trained/mean` and `rollout/failed/<boundary>` are over all environments. */
const reservedNames: ReadonlySet<string> = new Set(["mean", "trained", "failed"]);

/** Names are parts of metrics (`reward/<name>/mean`) and of file names. */
function checkNames(
  envs: readonly { readonly id: string; readonly name?: string }[],
  path: readonly string[],
): Problem[] {
  const names = envs.map(environmentName);
  return names.flatMap((name, index) => {
    const at = [...path, index];
    const key = envs[index]?.name === undefined ? at : [...at, "name"];
    if (names.indexOf(name) !== index) {
      return [{ path: key, message: `two environments are called ${name}; give one of them another \`name\`` }];
    }
    if (reservedNames.has(name)) {
      return [{ path: key, message: `\`${name}\` means something else in metrics; give it another \`name\`` }];
    }
    if (/^(?!\.)[\w.@-]+$/.test(name)) return [];
    const message = `${JSON.stringify(name)} cannot be a name: letters, digits, \`-\`, \`_\` and \`.\` only; set \`name\``;
    return [{ path: key, message }];
  });
}

function checkRatios({ env, envRatios }: RunFields): Problem[] {
  if (envRatios === undefined) return [];
  const problems: Problem[] = env.flatMap(({ ratio }, index) =>
    ratio === undefined
      ? []
      : [{ path: ["env", index, "ratio"], message: "says the same as env_ratios; keep one of them" }],
  );
  if (problems.length > 0) {
    problems.push({ path: ["envRatios"], message: "says the same as `ratio` in [[env]]; keep one of them" });
  }
  if (envRatios.length !== env.length) {
    const message = `has ${envRatios.length} entries for ${env.length} environments`;
    problems.push({ path: ["envRatios"], message });
  }
  return problems;
}

/** Neutral values change nothing and are welcome: other tools write them out. */
const neutral = { topP: [1], topK: [-1, 0], minP: [0] } as const;

function checkSampling({ sampling, env, allowBiasedSampling }: RunFields): Problem[] {
  if (allowBiasedSampling) return [];
  const biased = (own: PolicySampling | undefined, path: readonly (string | number)[]): Problem[] => {
    const keys = (["topP", "topK", "minP"] as const).filter((key) => {
      const value = own?.[key];
      return value !== undefined && !(neutral[key] as readonly number[]).includes(value);
    });
    const problems = keys.map((key) => {
      const message =
        "training takes temperature only: what cuts the distribution biases the gradient. Set it in [eval] sampling, or set allow_biased_sampling = true";
      return { path: [...path, key], message };
    });
    if (own?.temperature !== 0) return problems;
    const message = "0 always takes the likeliest token: the rollouts of a task would all be the same";
    return [...problems, { path: [...path, "temperature"], message }];
  };
  return [
    ...biased(sampling, ["sampling"]),
    ...env.flatMap((one, index) => biased(one.sampling, ["env", index, "sampling"])),
  ];
}

function checkAlgorithms(run: RunFields): Problem[] {
  const problems = new Map<string, Problem>();
  const add = (problem: Problem): void => void problems.set(JSON.stringify(problem), problem);
  for (const [index, env] of run.env.entries()) {
    const config = algorithmOf(run, env);
    const path = env.algorithm === undefined ? ["algorithm"] : ["env", index, "algorithm"];
    const groupSize = env.groupSize ?? run.groupSize;
    if (groupSize < 2 && config.type !== "file" && comparesRewards(config)) {
      const message = `${config.type} compares rollouts of one task: it needs at least 2`;
      add({ path: env.groupSize === undefined ? ["groupSize"] : ["env", index, "groupSize"], message });
    }
    if (run.difficulty.filter && !comparesRewards(config)) {
      const message = `${config.type} of ${environmentName(env)} learns from groups whose rewards agree too: do not filter them out`;
      add({ path: ["difficulty", "filter"], message });
    }
    for (const message of lengthProblems(run, env)) add({ path, message });
  }
  return [...problems.values()];
}

/** Lengths that an algorithm takes from `sampling.max_tokens` where it is given. */
function lengthProblems(run: RunFields, env: TrainEnvConfig): string[] {
  const config = algorithmOf(run, env);
  const { maxTokens } = samplingOf(run, env);
  const context = maxTokens === undefined ? {} : { maxTokens };
  try {
    normaliserOf(config, context);
    if (config.type !== "file") createAlgorithm(config, context);
    return [];
  } catch (error) {
    if (!HoneError.is(error)) throw error;
    return [error.hint === undefined ? error.message : `${error.message}. ${error.hint}`];
  }
}

function checkTeacher(run: RunFields): Problem[] {
  const types = run.env.map((env) => algorithmOf(run, env).type);
  if (run.teacher === undefined) {
    const at = run.env.findIndex((env) => algorithmOf(run, env).type === "opd");
    if (at < 0) return [];
    const path = run.env[at]?.algorithm === undefined ? ["algorithm"] : ["env", at, "algorithm"];
    return [{ path, message: "opd learns from a teacher: name a model's folder as [teacher] endpoint" }];
  }
  if (types.includes("opd") || types.includes("file")) return [];
  return [{ path: ["teacher"], message: "has no effect: no algorithm of this run learns from a teacher" }];
}

function checkDifficulty({ difficulty }: RunFields): Problem[] {
  const { easyThreshold, hardThreshold, easyFraction, hardFraction } = difficulty;
  const problems: Problem[] = [];
  const at = (key: keyof typeof difficulty, message: string): void =>
    void problems.push({ path: ["difficulty", key], message });
  if (easyFraction > 0 && easyThreshold === undefined) at("easyFraction", "has no effect without easy_threshold");
  if (hardFraction > 0 && hardThreshold === undefined) at("hardFraction", "has no effect without hard_threshold");
  if (easyFraction + hardFraction > 1) at("hardFraction", "easy_fraction and hard_fraction are more than 1 together");
  if (easyThreshold !== undefined && hardThreshold !== undefined && hardThreshold >= easyThreshold) {
    at("hardThreshold", `must be less than easy_threshold, ${easyThreshold}`);
  }
  return problems;
}

function checkSchedule(run: RunFields): Problem[] {
  const { type, final } = scheduleOf(run);
  const path = ["optimizer", "schedule"];
  if (type === "constant" && final > 0)
    return [{ path: [...path, "final"], message: "has no effect with a constant rate" }];
  if (type === "constant" || maxStepsOf(run) !== undefined) return [];
  return [{ path, message: `${type} needs max_steps: with epochs alone its end is not known` }];
}

/** What is measured must not be what was trained on. */
function checkEvaluation(run: RunFields): Problem[] {
  const { eval: evaluation, env } = run;
  if (evaluation === false) return [];
  const measured = evalEnvsOf(run);
  const names = evaluation.env === undefined ? [] : checkNames(evaluation.env, ["eval", "env"]);
  const advice = "Hold tasks out, or set eval = false";
  const overlaps = env.flatMap(({ id, split }, index): Problem[] => {
    if (split === "train" || !measured.some((one) => one.id === id)) return [];
    const message = `trains on the tasks that ${id} is evaluated on. ${advice}`;
    return [{ path: ["env", index, "split"], message }];
  });
  const own = (evaluation.env ?? []).flatMap(({ id, split }, index): Problem[] => {
    if (split === "eval" || !env.some((one) => one.id === id)) return [];
    const message = `evaluates ${id} on tasks that it is trained on. ${advice}`;
    return [{ path: ["eval", "env", index, "split"], message }];
  });
  return [...names, ...overlaps, ...own];
}
