// [[env]] and [[eval.env]] of a training run: which environment, how its rollouts go, what share of the work it gets.
// What is not given comes from the whole run (resolve.ts).
import { Sampling } from "@hone/core";
import * as z from "zod";
import { AlgorithmConfig } from "../algorithm/config.ts";

const counted = z.int().positive();

/** What an engine honours of `Sampling`. No seed: the noise of a rollout is keyed by the run's seed and the rollout's place. */
export const PolicySampling = z.strictObject({
  maxTokens: Sampling.shape.maxTokens,
  temperature: Sampling.shape.temperature.describe("of the softmax; 1 unless given"),
  topP: Sampling.shape.topP.describe(
    "only the likeliest tokens that make up this much; evaluation, or biased training",
  ),
  topK: Sampling.shape.topK.describe("only this many of the likeliest tokens; evaluation, or biased training"),
  minP: Sampling.shape.minP.describe("only tokens this likely, relative to the first; evaluation, or biased training"),
  stop: Sampling.shape.stop,
  extra: z
    .strictObject({ chat_template_kwargs: z.record(z.string(), z.json()).describe("variables of the chat template") })
    .exactOptional()
    .describe("chat_template_kwargs = { ... }: variables of the model's chat template"),
});
export type PolicySampling = z.output<typeof PolicySampling>;

const shared = {
  id: z.string().min(1).describe("a folder, or the name of an installed environment"),
  name: z
    .string()
    .min(1)
    .exactOptional()
    .describe("what metrics and files call it, unique in the run; the last part of id unless given"),
  args: z.record(z.string(), z.json()).default({}).describe("arguments of the environment"),
  groupSize: counted.exactOptional().describe("rollouts per task, of this environment"),
  sampling: PolicySampling.exactOptional().describe("over the sampling of the whole run, key by key"),
  maxTurns: counted.exactOptional().describe("model calls per rollout, at most"),
  maxTasks: counted.exactOptional().describe("only the first tasks, before shuffling"),
  system: z.string().exactOptional().describe("system message instead of the environment's"),
  tools: z.array(z.string()).exactOptional().describe("only these tools"),
  harness: z
    .object({ id: z.string().min(1).describe("name of a harness") })
    .catchall(z.json())
    .exactOptional()
    .describe("how the model is run, and the harness's own options"),
  workers: counted.exactOptional().describe("worker threads; the main thread unless given"),
};

export const TrainEnvConfig = z.strictObject({
  ...shared,
  ratio: z
    .number()
    .positive()
    .exactOptional()
    .describe("share of the groups, relative to the other environments; 1 unless given"),
  algorithm: AlgorithmConfig.exactOptional().describe("instead of the run's [algorithm], as a whole"),
  split: z.enum(["train", "eval", "all"]).default("train").describe("which tasks are trained on"),
});
export type TrainEnvConfig = z.output<typeof TrainEnvConfig>;

export const EvalEnvConfig = z.strictObject({
  ...shared,
  numTasks: counted.exactOptional().describe("tasks evaluated, of this environment"),
  split: z.enum(["train", "eval", "all"]).default("eval").describe("which tasks are evaluated"),
});
export type EvalEnvConfig = z.output<typeof EvalEnvConfig>;

/** The last part of the id: `word-guess` of `./environments/word-guess`, of `@hone/word-guess` and of `hone/word-guess@1.2`. */
export function environmentName({ id, name }: { readonly id: string; readonly name?: string }): string {
  const last =
    id
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? id;
  return name ?? last.replace(/(?<=.)@.*$/, "").replace(/\.[cm]?[jt]s$/, "");
}
