// The file of an evaluation: `models`, defaults, and one [[env]] table per environment. Keys are snake_case there; names that users of
// other tools know are understood and noted.
import { type Alias, type ConfigText, readConfig } from "@hone/config";
import { Sampling } from "@hone/core";
import * as z from "zod";
import { defaultPassThreshold } from "./summary.ts";

const counted = z.int().positive();
const EvalEnvConfig = z.strictObject({
  id: z.string().min(1).describe("a folder, or the name of an installed environment"),
  name: z.string().min(1).exactOptional().describe("what results call it; the environment's own name unless given"),
  args: z.record(z.string(), z.json()).default({}).describe("arguments of the environment"),
  numTasks: counted.exactOptional().describe("tasks evaluated, of this environment"),
  groupSize: counted.exactOptional().describe("rollouts per task, of this environment"),
  sampling: Sampling.exactOptional().describe("over the sampling of the whole file, key by key"),
  maxTurns: counted.exactOptional().describe("model calls per rollout, at most"),
  maxTasks: counted.exactOptional().describe("only the first tasks, before shuffling"),
  system: z.string().exactOptional().describe("system message instead of the environment's"),
  tools: z.array(z.string()).exactOptional().describe("only these tools"),
  harness: z
    .object({ id: z.string().min(1) })
    .catchall(z.json())
    .exactOptional()
    .describe("how the model is run, and the harness's own options"),
  workers: counted.exactOptional().describe("worker threads; the main thread unless given"),
  split: z
    .enum(["train", "eval", "all"])
    .exactOptional()
    .describe("which tasks; the held-out ones where there are some"),
});
export type EvalEnvConfig = z.output<typeof EvalEnvConfig>;

export const EvalConfig = z
  .strictObject({
    model: z.string().min(1).exactOptional().describe("the model to evaluate"),
    models: z.array(z.string().min(1)).min(1).exactOptional().describe("several models, each on every environment"),
    numTasks: counted.exactOptional().describe("tasks per environment; all unless given"),
    groupSize: counted.default(1).describe("rollouts per task"),
    concurrency: counted.default(32).describe("rollouts at a time"),
    seed: z.int().default(0),
    shuffle: z.boolean().default(false).describe("shuffle the tasks, by the seed"),
    passThreshold: z.number().default(defaultPassThreshold).describe("a rollout is correct from this reward on"),
    sampling: Sampling.default({}),
    endpoints: z.string().exactOptional().describe("file of named models; endpoints.toml unless given"),
    envFile: z.array(z.string()).default([]).describe("files of KEY=VALUE lines with the keys of model servers"),
    env: z.array(EvalEnvConfig).min(1),
  })
  .check(({ value, issues }) => {
    if ((value.model === undefined) === (value.models === undefined)) {
      issues.push({ code: "custom", input: value, message: "name one `model` or a list of `models`" });
    }
    const names = value.env.map(nameOf);
    const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
    if (twice < 0) return;
    const message = `two environments are called ${names[twice]}; give one of them another \`name\``;
    issues.push({ code: "custom", input: value.env[twice], path: ["env", twice], message });
  });
export type EvalConfig = z.output<typeof EvalConfig>;

/** What users of other tools write. */
const aliases: readonly Alias[] = [
  { from: "num_examples", to: "num_tasks" },
  { from: "rollouts_per_example", to: "group_size" },
  { from: "max_concurrent", to: "concurrency" },
  { from: "sampling_args", to: "sampling" },
  { from: "env.num_examples", to: "env.num_tasks" },
  { from: "env.rollouts_per_example", to: "env.group_size" },
  { from: "env.env_id", to: "env.id" },
  { from: "env.env_args", to: "env.args" },
  { from: "env.max_samples", to: "env.max_tasks" },
  { from: "env.system_prompt", to: "env.system" },
  { from: "env.sampling_args", to: "env.sampling" },
];

export interface ReadMatrixOptions {
  readonly files: readonly (string | ConfigText)[];
  readonly set?: readonly string[];
  readonly cwd?: string;
}

export async function readMatrix(
  options: ReadMatrixOptions,
): Promise<{ readonly config: EvalConfig; readonly notes: readonly string[] }> {
  const { value, notes } = await readConfig({ schema: EvalConfig, aliases, ...options });
  return { config: value, notes };
}

/** The last part of the id: `word-guess` of `./environments/word-guess` and of `@hone/word-guess`. */
export function nameOf({ id, name }: { readonly id: string; readonly name?: string }): string {
  return (
    name ??
    id
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/(?<=.)@.*$/, "")
      .replace(/\.[cm]?[jt]s$/, "") ??
    id
  );
}
