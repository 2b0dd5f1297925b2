// Keys of rLLM and verl, whose command lines are lists of `a.b.c=value`. A leading `rllm.` is taken off before these are looked up.
// Batches there are counted in tasks, clips are distances from 1, and limits below 0 mean none.
import type { Json, JsonObject } from "@hone/core";
import { missing, positive, type Row, tableOf } from "./row.ts";
import { loraRank, refuse } from "./shared.ts";

/** `verifiers.env_id` and what belongs to it: the one environment of such a run. */
function verifiersEnvironment(value: Json): Json {
  const { env_id: id, env_args: args, max_samples: tasks, sampling_args: sampling, ...others } = tableOf(value);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) refuse(`verifiers.${unknown} has no counterpart`);
  if (typeof id !== "string") refuse("verifiers.env_id must name the environment");
  return [
    {
      id,
      ...(args === undefined || args === null ? {} : { args }),
      ...(tasks === undefined || tasks === null ? {} : { max_tasks: tasks }),
      ...(sampling === undefined || sampling === null ? {} : { sampling }),
    },
  ];
}

const estimators: Readonly<Record<string, string>> = {
  grpo: "grpo",
  rloo: "rloo",
  reinforce_plus_plus_baseline: "reinforce_pp",
  gspo: "gspo",
  cispo: "cispo",
};

function estimator(value: Json): Json {
  const type = typeof value === "string" ? estimators[value.toLowerCase()] : undefined;
  return (
    type ?? refuse(`the estimator ${JSON.stringify(value)} has no counterpart; write one in a file: type = "file"`)
  );
}

const aggregations: Readonly<Record<string, string>> = {
  "token-mean": "token",
  "seq-mean-token-mean": "sequence",
  "seq-mean-token-sum-norm": "constant",
};

function aggregation(value: Json): Json {
  const normaliser = typeof value === "string" ? aggregations[value] : undefined;
  return normaliser ?? refuse(`${JSON.stringify(value)} has no counterpart: normaliser is token, sequence or constant`);
}

/** Distances from 1 there, ratios here. */
const below = (value: Json): number => round(1 - Number(value));
const above = (value: Json): number => round(1 + Number(value));
function round(value: number): number {
  return Number(value.toPrecision(12));
}

function loggers(value: Json): JsonObject {
  const names = Array.isArray(value) ? value : [value];
  const rows: Record<string, Json> = {};
  for (const name of names) {
    if (name === "console" || name === "file" || name === "ui") continue;
    if (name === "tensorboard") rows["tensorboard"] = {};
    else if (name === "wandb") rows["wandb"] = {};
    else refuse(`the logger ${JSON.stringify(name)} has no counterpart`);
  }
  return rows;
}

/** A switch that does nothing here while it is off. */
function offOnly(from: string, reason: string): Row {
  const isOff = (value: Json): boolean => value === false || value === null || value === 0;
  return { from, expand: (value) => (isOff(value) ? {} : refuse(reason)) };
}

const actor = "actor_rollout_ref.actor";
const rollout = "actor_rollout_ref.rollout";

export const hydraRows: readonly Row[] = [
  { from: "verifiers", to: "env", convert: verifiersEnvironment },
  { from: `${rollout}.n`, to: "group_size" },
  { from: "rollout.n", to: "group_size" },
  { from: "training.group_size", to: "group_size" },
  {
    from: "data.train_batch_size",
    to: "batch_size",
    convert: (value, { groupSize }) => (typeof value === "number" ? value * groupSize : value),
  },
  { from: "data.max_response_length", to: "sampling.max_tokens" },
  { from: "data.seed", to: "seed" },
  ...missing(
    "data",
    ["train_files", "val_files", "shuffle", "truncation", "filter_overlong_prompts", "return_raw_chat"],
    "tasks come from the environment, shuffled by the seed",
  ),
  ...missing("data", ["max_prompt_length"], "seq_len bounds prompt and reply together"),
  ...missing("data", ["val_batch_size"], "[eval] num_tasks says how many"),
  { from: "actor_rollout_ref.model.path", to: "model" },
  { from: "actor_rollout_ref.model.lora_rank", expand: loraRank },
  { from: "actor_rollout_ref.model.lora_alpha", to: "lora.alpha" },
  { from: "actor_rollout_ref.model.target_modules", to: "lora.target_modules" },
  { from: `${rollout}.temperature`, to: "sampling.temperature" },
  { from: `${rollout}.top_p`, to: "sampling.top_p" },
  { from: `${rollout}.top_k`, to: "sampling.top_k" },
  { from: `${rollout}.response_length`, to: "sampling.max_tokens" },
  { from: `${rollout}.val_kwargs.n`, to: "eval.group_size" },
  { from: `${rollout}.val_kwargs.temperature`, to: "eval.sampling.temperature" },
  { from: `${rollout}.val_kwargs.top_p`, to: "eval.sampling.top_p" },
  { from: `${rollout}.val_kwargs.top_k`, to: "eval.sampling.top_k" },
  { from: "rollout.n_val", to: "eval.group_size" },
  { from: "rollout.train", to: "sampling" },
  { from: "rollout.val", to: "eval.sampling" },
  { from: "validation.group_size", to: "eval.group_size" },
  { from: `${actor}.optim.lr`, to: "optimizer.learning_rate" },
  { from: `${actor}.optim.weight_decay`, to: "optimizer.weight_decay" },
  { from: `${actor}.optim.betas`, to: "optimizer.betas" },
  { from: `${actor}.optim.lr_warmup_steps`, to: "optimizer.lr_warmup_steps" },
  { from: `${actor}.optim.lr_scheduler_type`, to: "optimizer.lr_scheduler_type" },
  { from: `${actor}.grad_clip`, to: "optimizer.grad_clip" },
  { from: "training.learning_rate", to: "optimizer.learning_rate" },
  { from: "training.max_length", to: "seq_len" },
  { from: "training.lora_rank", expand: loraRank },
  ...missing("training", ["num_minibatches"], "one update per batch"),
  ...missing(actor, ["ppo_mini_batch_size", "ppo_epochs"], "one update per batch"),
  { from: `${actor}.clip_ratio_low`, to: "algorithm.clip_low", convert: below },
  { from: `${actor}.clip_ratio_high`, to: "algorithm.clip_high", convert: above },
  {
    from: `${actor}.clip_ratio`,
    expand: (value) => ({ "algorithm.clip_low": below(value), "algorithm.clip_high": above(value) }),
  },
  {
    from: "algorithm.eps_clip",
    expand: (value) => ({ "algorithm.clip_low": below(value), "algorithm.clip_high": above(value) }),
  },
  { from: "algorithm.eps_clip_high", to: "algorithm.clip_high", convert: above },
  { from: `${actor}.loss_agg_mode`, to: "algorithm.normaliser", convert: aggregation },
  { from: "algorithm.loss_agg_mode", to: "algorithm.normaliser", convert: aggregation },
  offOnly(`${actor}.use_kl_loss`, "the divergence from the start is taken off the credit: set algorithm.kl_weight"),
  offOnly(`${actor}.entropy_coeff`, "there is no entropy bonus"),
  ...missing(
    actor,
    ["kl_loss_coef", "kl_loss_type"],
    "the divergence from the start is taken off the credit: set algorithm.kl_weight",
  ),
  { from: "algorithm.adv_estimator", to: "algorithm.type", convert: estimator },
  { from: "algorithm.norm_adv_by_std_in_grpo", to: "algorithm.normalise_by_std" },
  { from: "algorithm.kl_beta", to: "algorithm.kl_weight" },
  { from: "algorithm.kl_ctrl.kl_coef", to: "algorithm.kl_weight" },
  { from: "algorithm.lr_schedule", to: "optimizer.schedule.type" },
  { from: "algorithm.warmup_steps", to: "optimizer.lr_warmup_steps" },
  offOnly("algorithm.use_kl_in_reward", "set algorithm.kl_weight"),
  ...missing(
    "algorithm",
    [
      "kl_ctrl",
      "gamma",
      "lam",
      "use_precomputed_advantage",
      "router_replay",
      "rollout_correction",
      "warmup_steps_ratio",
    ],
    "the algorithms here do without it",
  ),
  { from: "trainer.total_epochs", to: "epochs" },
  { from: "trainer.total_training_steps", to: "max_steps" },
  { from: "trainer.total_batches", expand: (value) => (Number(value) > 0 ? { max_steps: value } : {}) },
  { from: "trainer.test_freq", to: "eval.interval", convert: positive("never") },
  { from: "trainer.save_freq", to: "checkpoint.interval", convert: positive("never") },
  {
    from: "trainer.project_name",
    to: "wandb.project",
    convert: (value, { usesWandb }) => (usesWandb ? value : refuse("wandb is not among the loggers")),
  },
  { from: "trainer.experiment_name", to: "name" },
  { from: "trainer.logger", expand: loggers },
  ...missing("trainer", ["val_before_train", "val_only"], "the start is always evaluated; `hone eval` measures alone"),
  ...missing("trainer", ["resume_mode", "resume_from_path"], "use `hone train --resume RUN`"),
  ...missing("trainer", ["default_local_dir", "default_hdfs_dir"], "runs are kept in runs/<name>"),
  ...missing("", ["trainer", "training"], "an engine lays out its own hardware"),
  { from: "agent.max_steps", expand: (value) => ({ "env.*.max_turns": value }) },
  ...missing("agent", ["trajectory_timeout"], "the environment sets its own limits"),
  offOnly("agent.overlong_filter", 'set truncated = "mask"'),
  ...missing("", ["agent"], "the environment says how a rollout goes"),
  { from: "workflow.n_parallel_tasks", to: "concurrency" },
  { from: "workflow.retry_limit", to: "retry.attempts" },
  ...missing("", ["workflow"], "the environment says how a rollout goes"),
  { from: "mask_truncated_samples", to: "truncated", convert: (value) => (value === true ? "mask" : "keep") },
  { from: "rejection_sample.enable", to: "difficulty.filter" },
  { from: "rejection_sample.filter_uniform_groups", to: "difficulty.filter" },
  ...missing(
    "",
    ["rejection_sample", "compact_filtering", "filter_token_mismatch", "stepwise_advantage"],
    "the trainer always does, or never needs, the same",
  ),
  ...missing("", ["backend", "tinker_base_url", "fuse_forward_backward_and_optim_step"], "engine says what trains"),
  ...missing("", ["async_training"], "lead and max_off_policy_steps say how far ahead rollouts go"),
  ...missing(
    "",
    ["gateway", "remote_runtime", "episode_logging", "rollout_engine", "use_workflow"],
    "rollouts are run and kept by Hone",
  ),
  ...missing(
    "",
    ["actor_rollout_ref", "critic", "reward_model", "reward", "ray_kwargs", "data", "rollout", "validation"],
    "an engine lays out its own hardware, and the environment rewards",
  ),
];
