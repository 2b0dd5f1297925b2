// Keys of prime-rl (`rl @ file.toml`) and of Prime's hosted training, of now and of the versions before it whose files are still about.
// Meaning is kept where it differs: `grpo` there has no deviation and the loss that is `dppo` here.
import type { Json, JsonObject } from "@hone/core";
import { missing, positive, type Row, tableOf } from "./row.ts";
import { environmentRows, evaluationRows, loraRows, optimizerRows, refuse, samplingRows, wandbRows } from "./shared.ts";

/** What `[orchestrator.algo]` means, with the defaults of prime-rl that differ from ours. */
export function primeAlgorithm(value: Json): Json {
  const { type = "grpo", length_penalty: penalty, ...others } = tableOf(value);
  const unknown = Object.keys(others).filter((key) => key !== "teacher");
  if (unknown.length > 0) refuse(`${unknown.join(", ")} of an algorithm has no counterpart`);
  const length: JsonObject = penalty === undefined ? {} : { length_penalty: lengthPenalty(penalty) };
  if (type === "grpo") return { type, normalise_by_std: false, loss: "dppo", ...length };
  if (type === "max_rl") return { type, loss: "dppo", ...length };
  if (type === "opd") return { type, loss: "dppo" };
  return refuse(`the algorithm ${JSON.stringify(type)} has no counterpart; write one in a file: type = "file"`);
}

/** Only the linear penalty with its usual weights: those are ours too. */
function lengthPenalty(value: Json): JsonObject {
  const isUsual = value === "linear" || JSON.stringify(value) === '{"type":"linear"}';
  return isUsual ? {} : refuse("write length_penalty = { output, input, turns } with the weights");
}

/** Filters that drop groups without signal are difficulty filtering; the others are gone. */
function filters(value: Json): Json {
  const types = (Array.isArray(value) ? value : []).map((filter: Json) => tableOf(filter)["type"]);
  if (types.every((type) => type === "zero_advantage")) return types.length > 0;
  return refuse("of the filters only zero_advantage has a counterpart");
}

const notHere: readonly Row[] = [
  ...missing("", ["inference", "deployment", "slurm"], "an engine lays out its own hardware"),
  ...missing("", ["weight_broadcast", "rollout_transport"], "the parts of a run share a process"),
  ...missing("", ["output_dir"], "runs are kept in runs/<name>"),
  ...missing("", ["clean", "resume"], "use `hone train --resume RUN`"),
  ...missing("", ["log", "heartbeat", "metrics_server", "bench", "dump_config"], "the run directory has all of it"),
  ...missing("", ["env_vars"], "put variables into a file and name it in env_file"),
  ...missing("", ["tokenizer"], "tokenizer and chat template come with the model"),
];

/** The orchestrator's settings are ours at the top of the file. */
const orchestrator: readonly Row[] = [
  { from: "orchestrator.train.source", to: "env" },
  { from: "orchestrator.train.env", to: "env" },
  { from: "orchestrator.env", to: "env" },
  { from: "orchestrator.environment", to: "env" },
  { from: "orchestrator.train.sampling", to: "sampling" },
  { from: "orchestrator.sampling", to: "sampling" },
  { from: "orchestrator.eval", to: "eval" },
  { from: "orchestrator.buffer", to: "buffer" },
  { from: "orchestrator.model.name", to: "model" },
  ...["batch_size", "group_size", "seq_len", "max_steps", "max_off_policy_steps", "seed"].map((key) => ({
    from: `orchestrator.${key}`,
    to: key,
  })),
  { from: "orchestrator.rollouts_per_example", to: "group_size" },
  { from: "orchestrator.max_async_level", to: "lead" },
  { from: "orchestrator.concurrency.initial_inflight", to: "concurrency" },
  { from: "orchestrator.max_inflight_rollouts", to: "concurrency" },
  { from: "orchestrator.algo.teacher.name", to: "teacher.endpoint" },
  ...missing("orchestrator.algo", ["teacher"], "describe the teacher's server in endpoints.toml"),
  { from: "orchestrator.algo", to: "algorithm", convert: primeAlgorithm },
  { from: "orchestrator.filters", to: "difficulty.filter", convert: filters },
  { from: "orchestrator.pre_batch_filters", to: "difficulty.filter", convert: filters },
  ...missing("orchestrator.train", ["filter_zero_advantages"], "samples without effect never reach the engine"),
  ...missing("orchestrator", ["token_batch_size"], "batches are counted in rollouts: batch_size"),
  ...missing(
    "orchestrator",
    ["concurrency", "oversampling_factor", "tasks_per_minute"],
    "rollouts in flight follow the engine's load",
  ),
  ...missing("orchestrator", ["ckpt", "resume"], "[checkpoint] covers all of the run"),
  ...missing("orchestrator", ["advantage"], "[algorithm] says how rewards become credit"),
  ...missing(
    "orchestrator",
    ["model", "client", "renderer", "tokenizer"],
    "the engine samples; the model brings its chat template",
  ),
  ...missing("", ["orchestrator"], "nothing here does the same"),
];

const trainer: readonly Row[] = [
  { from: "trainer.model.name", to: "model" },
  { from: "trainer.model.seq_len", to: "seq_len" },
  { from: "trainer.model.lora", to: "lora" },
  { from: "trainer.lora", to: "lora" },
  { from: "trainer.optim", to: "optimizer" },
  { from: "trainer.scheduler", to: "optimizer.schedule" },
  { from: "trainer.max_steps", to: "max_steps" },
  { from: "trainer.loss.dppo_mask_low", to: "algorithm.mask_low" },
  { from: "trainer.loss.dppo_mask_high", to: "algorithm.mask_high" },
  { from: "trainer.loss.kl_tau", to: "algorithm.drift_weight" },
  {
    from: "trainer.loss.type",
    expand: (value) => (value === "default" ? {} : refuse("[algorithm] loss chooses the loss")),
  },
  ...missing("trainer", ["loss"], "[algorithm] loss chooses the loss"),
  ...missing("trainer", ["ckpt"], "[checkpoint] covers all of the run"),
];

const difficulty: readonly Row[] = [
  { from: "buffer.online_difficulty_filtering", to: "difficulty.filter" },
  ...["easy_threshold", "hard_threshold", "easy_fraction", "hard_fraction"].map((key) => ({
    from: `buffer.${key}`,
    to: `difficulty.${key}`,
  })),
  { from: "buffer.env_ratios", to: "env_ratios" },
  ...missing("buffer", ["seed"], "the run's seed is for everything"),
  ...missing("", ["buffer"], "nothing here does the same"),
];

const hosted: readonly Row[] = [
  { from: "rollouts_per_example", to: "group_size" },
  { from: "max_async_level", to: "lead" },
  { from: "max_inflight_rollouts", to: "concurrency" },
  { from: "lr", to: "optimizer.learning_rate" },
  { from: "learning_rate", to: "optimizer.learning_rate" },
  { from: "lora_alpha", to: "lora.alpha" },
  { from: "lora_rank", to: "lora.rank" },
  { from: "env_files", to: "env_file" },
  { from: "sampling_args", to: "sampling" },
  { from: "pre_batch_filters", to: "difficulty.filter", convert: filters },
  { from: "checkpoints.keep_cloud", to: "checkpoints.keep", convert: positive("all checkpoints") },
  { from: "checkpoints", to: "checkpoint" },
  { from: "teacher.model", to: "teacher.endpoint" },
  {
    from: "loss",
    expand: (value) => (value === "rl" ? {} : refuse(`loss = ${JSON.stringify(value)} has no counterpart`)),
  },
  ...missing("teacher", ["sampling", "client"], "describe the teacher's server in endpoints.toml"),
  ...missing("", ["adapters"], "the last adapter is always exported, and every checkpoint holds one"),
  ...missing("", ["post_batch_filters"], "samples without effect never reach the engine"),
  ...missing("", ["oversampling_factor"], "rollouts in flight follow the engine's load"),
  ...missing("", ["trajectory_strategy"], "turns are merged wherever their tokens continue each other"),
  ...missing("", ["val"], "[eval] measures on held-out tasks"),
  ...missing(
    "",
    ["checkpoint_id", "cluster_name", "run_config", "infrastructure", "tailscale"],
    "it belongs to the hosted service",
  ),
];

export const primeRows: readonly Row[] = [
  ...notHere,
  { from: "run.name", to: "name" },
  { from: "ckpt.keep_last", to: "ckpt.keep" },
  ...missing("ckpt", ["keep_interval", "output_dir"], "checkpoints stay in the run directory, the last `keep` of them"),
  ...orchestrator,
  ...trainer,
  { from: "ckpt", to: "checkpoint" },
  { from: "checkpoint.keep_last", to: "checkpoint.keep" },
  { from: "optim", to: "optimizer" },
  { from: "scheduler", to: "optimizer.schedule" },
  ...hosted,
  ...difficulty,
  ...optimizerRows,
  ...loraRows,
  ...wandbRows,
  ...evaluationRows,
  { from: "env.algo", to: "env.algorithm", convert: primeAlgorithm },
  ...environmentRows("env"),
  ...samplingRows("sampling"),
];
