// A whole training run in milliseconds: the toy engine learns to write in lower case. Used by the tests of the loop and, as a program, by the kill tests.
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Engine, Model, Sampler } from "@hone/core";
import { type CheckpointStore, createToyEngine } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { policyModel } from "@hone/model";
import { writeFileAtomic } from "@hone/store";
import { chatmlTemplate, createByteTokenizer, createChatTemplate, createRenderer } from "@hone/tokens";
import { createAlgorithm } from "../algorithm/create.ts";
import { AlgorithmConfig } from "../algorithm/config.ts";
import type { TrainEnvironment } from "../nouns.ts";
import type { TrainOptions } from "../options.ts";
import { DifficultyConfig } from "../schedule/difficulty.ts";
import { LearningRateSchedule } from "../update/learning-rate.ts";

const controlTokens = ["<|im_start|>", "<|im_end|>"];

/** Share of the reply that is lower-case letters. */
export function lowerCase(name: string, count: number): TrainEnvironment {
  const environment = defineEnvironment({
    name,
    tasks: Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, text: `task ${index}` })),
    evalTasks: [{ id: "held-out", text: "held out" }],
    prompt: ({ task }) => task.text,
    gold: ({ task }) => task.text.replaceAll(/[^a-z]/g, ""),
    rewards: {
      lower: ({ reply }) =>
        reply.length === 0 ? 0 : [...reply].filter((c) => c >= "a" && c <= "z").length / reply.length,
    },
    maxTurns: 1,
  });
  return { name, environment, ratio: 1, groupSize: 8, sampling: { maxTokens: 4, temperature: 1 }, settings: {} };
}

/** Checkpoints as files, written whole or not at all: they outlive the process. */
function fileCheckpoints(folder: string): CheckpointStore {
  return {
    read: (name) => readFile(join(folder, name)).catch(() => undefined),
    write: async (name, bytes) => {
      await mkdir(folder, { recursive: true });
      await writeFileAtomic(join(folder, name), bytes);
    },
  };
}

export function toyEngine(checkpoints: CheckpointStore): Engine {
  const { vocabularySize } = createByteTokenizer(controlTokens);
  return createToyEngine({ vocabularySize, contextTokens: 512, seed: 1, checkpoints });
}

export function toyOptions(directory: string, more: Partial<TrainOptions> = {}): TrainOptions {
  const tokenizer = createByteTokenizer(controlTokens);
  const renderer = createRenderer({ tokenizer, template: createChatTemplate(chatmlTemplate) });
  const weights = join(directory, "weights");
  const engine = toyEngine(fileCheckpoints(weights));
  const algorithm = createAlgorithm(AlgorithmConfig.parse({ type: "grpo" }) as never);
  const modelOf = (sampler: Sampler): Model => policyModel({ name: "toy", sampler, renderer, info: engine.info });
  return {
    directory,
    config: 'model = "toy"\n',
    resume: false,
    engine,
    model: "toy",
    adapter: "full",
    modelOf,
    models: (name) => {
      throw new RangeError(`no model ${name}`);
    },
    sandboxes: { name: "none", open: () => Promise.reject(new Error("no sandboxes")) },
    environments: [lowerCase("lower", 40)],
    treatmentOf: () => ({ algorithm, normaliser: { type: "token" } }),
    difficulty: DifficultyConfig.parse({}),
    maxSteps: 16,
    groupsPerBatch: 6,
    lead: 0,
    maxOffPolicySteps: 1,
    seed: 7,
    concurrency: 8,
    retry: { attempts: 1 },
    truncated: "keep",
    seqLen: 512,
    optimizer: { learningRate: 1, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 },
    schedule: LearningRateSchedule.parse({}),
    checkpoint: { interval: 1, keep: 3, remove: ({ checkpoint }) => rm(join(weights, checkpoint), { force: true }) },
    signal: new AbortController().signal,
    ...more,
  };
}
