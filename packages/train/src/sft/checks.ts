// What no single key can tell: checks across the keys of a run of fine-tuning. Pure; each problem names the key it is shown at.
import type { Problem } from "../config/checks.ts";
import type { SftDataConfig, SftFields } from "./config.ts";

export function checkSft(run: SftFields): readonly Problem[] {
  return [
    ...checkLength(run),
    ...run.data.flatMap(checkData),
    ...checkWeights(run),
    ...checkEval(run),
    ...checkInit(run),
  ];
}

function checkLength({ maxSteps, epochs, batchSize, batchTokens, engine, cpu, optimizer }: SftFields): Problem[] {
  const problems: Problem[] = [];
  if (maxSteps !== undefined && epochs !== undefined) {
    problems.push({ path: ["epochs"], message: "a run has max_steps or epochs, and not both" });
  }
  if (batchSize !== undefined && batchTokens !== undefined) {
    problems.push({ path: ["batchTokens"], message: "a batch has batch_size or batch_tokens, and not both" });
  }
  if (cpu !== undefined && engine !== "cpu") {
    problems.push({ path: ["cpu"], message: `has no effect with engine "${engine}"` });
  }
  const { schedule } = optimizer;
  if (typeof schedule === "string") return problems;
  const path = ["optimizer", "schedule"];
  if (schedule.type === "constant" && schedule.final > 0) {
    problems.push({ path: [...path, "final"], message: "has no effect with a constant rate" });
  }
  if (maxSteps !== undefined && schedule.warmupSteps >= maxSteps) {
    problems.push({ path: [...path, "warmupSteps"], message: `the run has only ${maxSteps} steps` });
  }
  return problems;
}

const ofRollouts = ["env", "minReward", "topFraction", "maxPerTask", "truncated", "render"] as const;

function checkData(data: SftDataConfig, index: number): Problem[] {
  const sources = (["path", "run", "eval"] as const).filter((key) => data[key] !== undefined);
  if (sources.length === 0) return [{ path: ["data", index], message: "says no path, run or eval" }];
  const [, second] = sources;
  if (second !== undefined) {
    return [{ path: ["data", index, second], message: `has ${sources.join(" and ")}; write a [[data]] for each` }];
  }
  if (data.path === undefined) return [];
  return ofRollouts
    .filter((key) => data[key] !== undefined)
    .map((key) => ({ path: ["data", index, key], message: "is for rollouts of a run or an eval, not for files" }));
}

function checkWeights({ data }: SftFields): Problem[] {
  const missing = data.findIndex(({ weight }) => weight === undefined);
  if (missing < 0 || data.every(({ weight }) => weight === undefined)) return [];
  const message = "has no weight and others have; give every [[data]] one, or none: then each counts by its size";
  return [{ path: ["data", missing], message }];
}

function checkEval({ eval: evaluation }: SftFields): Problem[] {
  if (evaluation === false || evaluation.paths === undefined || evaluation.fraction === undefined) return [];
  return [{ path: ["eval", "fraction"], message: "says what is held out, and so does paths; keep one of them" }];
}

function checkInit({ init, initSeed, lora }: SftFields): Problem[] {
  const problems: Problem[] = [];
  if (init === undefined && initSeed !== undefined) {
    problems.push({ path: ["initSeed"], message: 'has no effect without init = "random"' });
  }
  if (init === "random" && lora !== undefined && lora !== false) {
    problems.push({ path: ["lora"], message: "random weights have nothing to adapt: remove it, or set lora = false" });
  }
  return problems;
}
