// Names that several relatives use for the same things: sampling, environments, the optimiser, the adapter.
import type { Json } from "@hone/core";
import { missing, positive, type Row, tableOf } from "./row.ts";

/** `[sampling]`, wherever it stands. */
export function samplingRows(at: string): readonly Row[] {
  return [
    { from: `${at}.max_completion_tokens`, to: `${at}.max_tokens` },
    { from: `${at}.max_response_length`, to: `${at}.max_tokens` },
    { from: `${at}.enable_thinking`, to: `${at}.extra.chat_template_kwargs.enable_thinking` },
    { from: `${at}.extra_body.chat_template_kwargs`, to: `${at}.extra.chat_template_kwargs` },
    { from: `${at}.extra_body.top_k`, to: `${at}.top_k` },
    { from: `${at}.extra_body.min_p`, to: `${at}.min_p` },
    ...missing(at, ["extra_body"], "an engine takes no further fields of a request"),
    ...missing(at, ["temp_scheduler"], "the temperature of a run is constant"),
    ...missing(
      at,
      ["presence_penalty", "frequency_penalty", "repetition_penalty", "reasoning_effort"],
      "engines sample without it",
    ),
    ...missing(at, ["seed"], "noise is keyed by the run's seed and the rollout's place"),
    ...missing(at, ["n", "logprobs", "do_sample"], "group_size says how many, and logprobs are always kept"),
  ];
}

/** `[[env]]` and `[[eval.env]]`. */
export function environmentRows(at: "env" | "eval.env"): readonly Row[] {
  const tasks = at === "env" ? "max_tasks" : "num_tasks";
  return [
    { from: `${at}.env.taskset`, to: `${at}.taskset` },
    { from: `${at}.env.agent`, to: `${at}.agent` },
    { from: `${at}.env.harness`, to: `${at}.harness` },
    ...missing(at, ["env"], "limits and retries of an environment are max_turns and [retry]"),
    { from: `${at}.taskset.id`, to: `${at}.id` },
    { from: `${at}.taskset`, to: `${at}.args` },
    { from: `${at}.agent.harness`, to: `${at}.harness` },
    { from: `${at}.agent.max_turns`, to: `${at}.max_turns` },
    { from: `${at}.agent.sampling`, to: `${at}.sampling` },
    ...missing(at, ["agent"], "the environment chooses its sandbox; limits are max_turns"),
    ...missing(`${at}.harness`, ["runtime"], "the environment chooses its sandbox"),
    { from: `${at}.env_id`, to: `${at}.id` },
    { from: `${at}.env_name`, to: `${at}.name` },
    { from: `${at}.env_args`, to: `${at}.args` },
    { from: `${at}.max_samples`, to: `${at}.max_tasks` },
    { from: `${at}.num_examples`, to: `${at}.${tasks}`, convert: positive("all tasks") },
    { from: `${at}.rollouts_per_example`, to: `${at}.group_size` },
    { from: `${at}.system_prompt`, to: `${at}.system` },
    { from: `${at}.sampling_args`, to: `${at}.sampling` },
    { from: `${at}.num_workers`, to: `${at}.workers` },
    ...(at === "env" ? [{ from: "env.weight", to: "env.ratio" }] : []),
    ...missing(at, ["max_retries", "retries"], "[retry] attempts is for the whole run"),
    ...missing(at, ["version"], "the installed version is used; `hone env install id@version` pins it"),
    ...missing(at, ["timeout"], "the environment sets its own limits"),
    ...missing(
      at,
      ["max_input_tokens", "max_output_tokens", "max_total_tokens"],
      "the environment sets its own limits",
    ),
    ...missing(
      at,
      ["serve", "pool", "multiplex", "address", "max_concurrent"],
      "environments run in this process, or in `workers` threads",
    ),
    ...(at === "env" ? missing(at, ["curriculum"], "[difficulty] is for the whole run") : []),
    ...missing(at, ["interval", "skip_first_step"], "[eval] interval is for the whole run"),
    ...samplingRows(`${at}.sampling`),
  ];
}

export const optimizerRows: readonly Row[] = [
  { from: "optimizer.lr", to: "optimizer.learning_rate" },
  { from: "optimizer.max_norm", to: "optimizer.grad_clip" },
  { from: "optimizer.grad_clip_norm", to: "optimizer.grad_clip" },
  { from: "optimizer.eps", to: "optimizer.epsilon" },
  { from: "optimizer.lr_scheduler_type", to: "optimizer.schedule.type" },
  { from: "optimizer.lr_warmup_steps", to: "optimizer.schedule.warmup_steps", convert: noneIsZero },
  {
    from: "optimizer.schedule.min_lr",
    to: "optimizer.schedule.final",
    convert: onlyZero("final is a share of the rate"),
  },
  ...missing("optimizer.schedule", ["decay_steps"], "linear and cosine decay over the whole run"),
  ...missing("optimizer", ["mu", "momentum", "nesterov"], "the optimiser is AdamW"),
  {
    from: "optimizer.type",
    expand: (value) => {
      if (value === "adamw") return {};
      return refuse(`the optimiser is AdamW, not ${JSON.stringify(value)}`);
    },
  },
  { from: "optimizer.betas1", expand: () => refuse("write betas = [first, second]") },
  { from: "optimizer.betas2", expand: () => refuse("write betas = [first, second]") },
];

export const loraRows: readonly Row[] = [
  { from: "lora.target_modules", to: "lora.targets", convert: layers },
  { from: "lora.r", to: "lora.rank" },
  { from: "lora.lora_alpha", to: "lora.alpha" },
  { from: "lora.dropout", expand: (value) => (value === 0 ? {} : refuse("adapters are trained without dropout")) },
  { from: "lora.modules_to_save", expand: (value) => (isEmpty(value) ? {} : refuse("only the adapter is saved")) },
];

export const wandbRows: readonly Row[] = [
  { from: "monitors.wandb", to: "wandb" },
  { from: "wandb.offline", to: "wandb.mode", convert: (value) => (value === true ? "offline" : "online") },
  ...missing("", ["monitors"], "metrics go to [wandb], [tensorboard], [mlflow] and the run directory"),
  ...missing("wandb", ["id", "log_extras", "shared"], "the run directory decides them"),
];

export const evaluationRows: readonly Row[] = [
  { from: "eval.source", to: "eval.env" },
  { from: "eval.num_examples", to: "eval.num_tasks", convert: positive("all tasks") },
  { from: "eval.rollouts_per_example", to: "eval.group_size" },
  ...missing(
    "eval",
    ["skip_first_step", "eval_base_model"],
    "the start is always evaluated: it is what the end is compared with",
  ),
  ...missing("eval", ["retrigger_on_resume"], "a resumed run goes on with its interval"),
  ...samplingRows("eval.sampling"),
  ...environmentRows("eval.env"),
];

/** `model` is a table elsewhere: what is in it goes first, so that its name can take its place. */
export const modelRows: readonly Row[] = [
  { from: "model.lora_rank", expand: loraRank },
  { from: "model.lora_alpha", to: "lora.alpha" },
  ...missing("model", ["train_unembed", "train_attn", "train_mlp"], "lora.targets says what is adapted"),
  ...missing("model", ["vlm", "trust_remote_code"], "models of text only, without code of their own"),
  { from: "model.name", to: "model" },
];

/** Rank 0 is full training elsewhere. */
export function loraRank(value: Json): Readonly<Record<string, Json>> {
  return value === 0 ? { lora: false } : { "lora.rank": value };
}

/** PEFT's word for what is the default here. */
function layers(value: Json): Json {
  if (value === "all-linear") return ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"];
  return typeof value === "string" ? [value] : value;
}

function noneIsZero(value: Json): Json {
  return typeof value === "number" && value < 0 ? 0 : value;
}

function onlyZero(reason: string): (value: Json) => Json {
  return (value) => (value === 0 ? 0 : refuse(reason));
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(tableOf(value)).length === 0;
}

export function refuse(reason: string): never {
  throw new TypeError(reason);
}
