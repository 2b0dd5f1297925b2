// The file of a run of `hone sft` as a schema: every key, its bounds and what it means. Keys are snake_case in the file. Tables that mean the
// same as in a training run are that run's own.
import * as z from "zod";
import { RunFields } from "../config/run-config.ts";
import { checkSft } from "./checks.ts";
import { TooLong } from "./fit.ts";

const counted = z.int().positive();
const { model, engine, name, seed, optimizer, lora, cpu, wandb, tensorboard, mlflow } = RunFields.shape;

const Data = z.strictObject({
  path: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .exactOptional()
    .describe("JSONL files of conversations; * ? and ** stand for names"),
  run: z.string().min(1).exactOptional().describe("a run whose rollouts are imitated: its name or folder"),
  eval: z.string().min(1).exactOptional().describe("an evaluation whose rollouts are imitated: its name or folder"),
  weight: z
    .number()
    .positive()
    .exactOptional()
    .describe("share of the conversations, relative to the other [[data]]; by size unless given"),
  env: z.string().min(1).exactOptional().describe("only rollouts of this environment"),
  minReward: z.number().exactOptional().describe("only rollouts with at least this reward"),
  topFraction: z.number().gt(0).max(1).exactOptional().describe("this part of each task's rollouts, the best"),
  maxPerTask: counted.exactOptional().describe("so many rollouts of a task at most, the best"),
  truncated: z.boolean().exactOptional().describe("also rollouts that a limit cut off"),
  render: z.boolean().exactOptional().describe("tokenise the messages anew: the rollouts are another model's"),
});
export type SftDataConfig = z.output<typeof Data>;

const Evaluation = z.strictObject({
  interval: counted
    .default(50)
    .describe("updates between two measurements; always before the first and after the last"),
  fraction: z
    .number()
    .min(0)
    .lt(1)
    .exactOptional()
    .describe("part of the data that is held out, by hash; 0.02 unless there are paths"),
  paths: z.array(z.string().min(1)).min(1).exactOptional().describe("files that are held out, instead of a fraction"),
  maxConversations: counted.default(1000).describe("how many of what is held out are measured, the same every time"),
});

const Checkpoint = z.strictObject({
  interval: counted.default(100).describe("updates between two checkpoints; always after the last"),
  keep: counted.default(3).describe("how many are kept"),
});

/** Without the checks across keys: what `SftConfig` is made of. */
export const SftFields = z.strictObject({
  model,
  engine,
  name: name.describe("the run is kept in runs/<name>; made from data and model unless given"),
  init: z
    .literal("random")
    .exactOptional()
    .describe('"random": train from scratch; of the model\'s folder only config.json and the tokenizer are used'),
  initSeed: z.int().exactOptional().describe("of the random weights; the run's seed unless given"),
  seed,
  maxSteps: counted.exactOptional().describe("updates; instead of epochs"),
  epochs: z.number().positive().exactOptional().describe("times the data is gone through; 1 unless max_steps is given"),
  batchSize: counted.exactOptional().describe("conversations per update; 32 unless this or batch_tokens is given"),
  batchTokens: counted.exactOptional().describe("tokens per update, at most, instead of batch_size"),
  partTokens: counted
    .default(16_384)
    .describe("tokens that the engine is given at once; gradients of the parts add up"),
  seqLen: counted.exactOptional().describe("longest conversation in tokens; the model's context unless given"),
  tooLong: TooLong.default("drop"),
  trainOn: z
    .enum(["all", "last"])
    .default("all")
    .describe("which of the assistant's messages are trained on; the others are context"),
  data: z.array(Data).min(1).describe("what is learnt from"),
  eval: z
    .union([z.literal(false), Evaluation])
    .prefault({})
    .describe("the loss on what is held out; false for none"),
  lora: lora
    .unwrap()
    .exactOptional()
    .describe('the adapter that is trained; false trains all weights, as does init = "random"'),
  optimizer: optimizer.describe("one step per update"),
  checkpoint: Checkpoint.prefault({}).describe("what a killed run goes on from"),
  cpu,
  wandb,
  tensorboard,
  mlflow,
});
export type SftFields = z.output<typeof SftFields>;

export const SftConfig = SftFields.check(({ value, issues }) => {
  for (const { path, message } of checkSft(value)) {
    issues.push({ code: "custom", input: value, path: [...path], message });
  }
});
export type SftConfig = z.output<typeof SftConfig>;
