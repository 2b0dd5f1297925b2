// The file of a training run as a schema: every key, its bounds and what it means. Keys are snake_case in the file.
// Defaults that depend on other keys are not here: `resolveRun` (resolve.ts) fills them in.
import { MlflowConfig, TensorboardConfig, WandbConfig } from "@hone/store/sinks";
import * as z from "zod";
import { AlgorithmConfig } from "../algorithm/config.ts";
import { TruncatedRollouts } from "../sample/to-samples.ts";
import { DifficultyConfig } from "../schedule/difficulty.ts";
import { LearningRateSchedule } from "../update/learning-rate.ts";
import { checkRun } from "./checks.ts";
import { EvalEnvConfig, PolicySampling, TrainEnvConfig } from "./env-config.ts";

const counted = z.int().positive();

/** All linear layers of a decoder, as transformers and PEFT name them. */
export const linearLayers = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"] as const;

const Lora = z.strictObject({
  rank: counted.default(8).describe("of the two matrices added to each layer"),
  alpha: z.number().positive().default(16).describe("what they add is scaled by alpha / rank"),
  targets: z
    .array(z.string().min(1))
    .min(1)
    .default([...linearLayers])
    .describe("layers that are adapted, by the last part of their name; all linear layers unless given"),
  seed: z.int().exactOptional().describe("of their first values; the run's seed unless given"),
});

const Optimizer = z.strictObject({
  learningRate: z
    .number()
    .positive()
    .exactOptional()
    .describe("of AdamW; on the cpu engine 2e-3 for LoRA and 3e-4 for full training, elsewhere 1e-4 and 1e-6"),
  betas: z
    .tuple([z.number().min(0).lt(1), z.number().min(0).lt(1)])
    .default([0.9, 0.95])
    .describe("decay of its two averages"),
  epsilon: z.number().positive().default(1e-8).describe("added to the divisor"),
  weightDecay: z.number().min(0).default(0).describe("share of the weights that decays, times the learning rate"),
  gradClip: z.number().min(0).default(1).describe("largest norm of the gradient; 0 for no clipping"),
  schedule: z
    .union([LearningRateSchedule.shape.type.removeDefault(), LearningRateSchedule])
    .prefault({})
    .describe('of the learning rate: "constant", "linear", "cosine", or a table'),
});

const Evaluation = z.strictObject({
  interval: counted.default(10).describe("updates between two evaluations; always before the first and after the last"),
  numTasks: counted.default(100).describe("held-out tasks per environment, the same every time"),
  groupSize: counted.default(1).describe("rollouts per task"),
  sampling: PolicySampling.default({}).describe("over the run's sampling, key by key"),
  env: z.array(EvalEnvConfig).min(1).exactOptional().describe("what is evaluated; the run's environments unless given"),
});

const Checkpoint = z.strictObject({
  interval: counted.exactOptional().describe("updates between two checkpoints; 1 on the cpu engine, elsewhere 10"),
  keep: counted.default(3).describe("how many are kept"),
});

const Retry = z.strictObject({
  attempts: counted.default(3).describe("tries of a failed rollout in all; 1 for no retry"),
  only: z
    .array(z.string())
    .exactOptional()
    .describe("codes of failures that are tried again; the retryable ones unless given"),
  never: z.array(z.string()).exactOptional().describe("codes of failures that are not tried again"),
});

const Cpu = z.strictObject({
  threads: z.int().min(1).max(64).exactOptional().describe("as many as there are processors unless given"),
  prefer: z
    .enum(["native", "wasm"])
    .default("native")
    .describe("which build of the kernels; WASM where the native one fails"),
  recompute: z
    .boolean()
    .default(false)
    .describe("keep fewer activations and compute them again: less memory, more time"),
});

const Judge = z.strictObject({
  endpoint: z.string().min(1).describe("a name in endpoints.toml, or provider/name"),
});
const Teacher = z.strictObject({
  endpoint: z.string().min(1).describe("the folder of a model with the same tokenizer"),
});

/** Without the checks across keys: what `RunConfig` is made of. */
export const RunFields = z.strictObject({
  model: z.string().min(1).describe("the model to start from: a folder, hone/tiny, or a name the engine knows"),
  engine: z.enum(["cpu", "torch", "tinker", "verl"]).default("cpu").describe("what samples and trains"),
  name: z
    .string()
    .regex(/^(?!\.)[\w.-]{1,200}$/, "use letters, digits, `-`, `_` and `.` only, and do not begin with `.`")
    .exactOptional()
    .describe("of the folder in runs/ that keeps the run; made from environments and model unless given"),
  maxSteps: counted.exactOptional().describe("updates, at most; 20 unless this or epochs is given"),
  epochs: counted.exactOptional().describe("times each environment's tasks are gone through, at most"),
  batchSize: counted.exactOptional().describe("rollouts per update, a multiple of group_size; 128, or just below it"),
  groupSize: counted.default(16).describe("rollouts per task, compared with each other"),
  seed: z.int().default(0).describe("of everything random in the run"),
  seqLen: counted.exactOptional().describe("longest sequence trained on, in tokens; the model's context unless given"),
  lead: z
    .int()
    .min(0)
    .exactOptional()
    .describe("batches collected ahead of the policy; 0 on the cpu engine, elsewhere 1"),
  maxOffPolicySteps: z.int().min(0).default(8).describe("oldest token that is trained on, in updates"),
  stale: z
    .enum(["drop", "keep"])
    .default("drop")
    .describe("groups older than max_off_policy_steps: dropped and counted, or trained on and counted"),
  truncated: TruncatedRollouts.default("keep"),
  microBatchTokens: counted
    .exactOptional()
    .describe("tokens whose gradients an engine is asked for at once; the whole batch unless given"),
  rolloutTimeoutSeconds: z.number().positive().default(3600).describe("longest time for one rollout; then it failed"),
  stallAfterSeconds: z
    .number()
    .positive()
    .default(60)
    .describe("silence after which a run says what it waits for; again at doubling gaps"),
  control: z
    .enum(["shuffled_rewards"])
    .exactOptional()
    .describe("an experiment's control: rewards change places inside each group, so nothing can be learnt"),
  concurrency: counted.default(64).describe("rollouts at once, to start with; it then follows the engine"),
  allowBiasedSampling: z
    .boolean()
    .default(false)
    .describe("let training rollouts use top_p, top_k, min_p and temperature 0, which bias the gradient"),
  envFile: z.array(z.string().min(1)).default([]).describe("files of KEY=VALUE lines with the keys of model servers"),
  endpoints: z.string().min(1).exactOptional().describe("file of named models; endpoints.toml unless given"),
  envRatios: z
    .array(z.number().positive())
    .exactOptional()
    .describe("the ratios of all [[env]], in their order, instead of `ratio` in each"),
  sampling: PolicySampling.default({}).describe("of rollouts"),
  env: z.array(TrainEnvConfig).min(1).describe("the environments that are trained on"),
  difficulty: DifficultyConfig.prefault({}).describe("which tasks are worth a group"),
  algorithm: AlgorithmConfig.prefault({ type: "grpo" }).describe("how rewards become credit, and the loss"),
  lora: z
    .union([z.literal(false), Lora])
    .prefault({})
    .describe("the adapter that is trained; false trains all weights"),
  optimizer: Optimizer.prefault({}).describe("one step per update"),
  eval: z
    .union([z.literal(false), Evaluation])
    .prefault({})
    .describe("on held-out tasks; false for none"),
  checkpoint: Checkpoint.prefault({}).describe("what a killed run goes on from"),
  retry: Retry.prefault({}).describe("of rollouts that failed"),
  judge: Judge.exactOptional().describe("the model behind every judge; the one an environment names unless given"),
  teacher: Teacher.exactOptional().describe("the model that algorithms with a teacher learn from"),
  cpu: Cpu.exactOptional().describe("settings of the cpu engine"),
  wandb: WandbConfig.exactOptional().describe("send metrics to Weights & Biases"),
  tensorboard: TensorboardConfig.exactOptional().describe("write metrics as TensorBoard event files"),
  mlflow: MlflowConfig.exactOptional().describe("send metrics to an MLflow server"),
});
export type RunFields = z.output<typeof RunFields>;

export const RunConfig = RunFields.check(({ value, issues }) => {
  for (const { path, message } of checkRun(value)) {
    issues.push({ code: "custom", input: value, path: [...path], message });
  }
});
export type RunConfig = z.output<typeof RunConfig>;
