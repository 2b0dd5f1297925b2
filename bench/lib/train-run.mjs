// The work of bench/train: environments whose prompts have 200 tokens, a policy that answers 64 at once, and a whole training run on them, on disk.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment } from "@hone/env";
import { policyModel } from "@hone/model";
import { chatmlTemplate, createByteTokenizer, createChatTemplate, createRenderer } from "@hone/tokens";
import { AlgorithmConfig, createAlgorithm, DifficultyConfig, LearningRateSchedule, train } from "@hone/train";
import { measured } from "./figure.mjs";
import { instantEngine } from "./train-engine.mjs";

const tokenizer = createByteTokenizer(["<|im_start|>", "<|im_end|>"]);
const renderer = createRenderer({ tokenizer, template: createChatTemplate(chatmlTemplate) });
const algorithm = createAlgorithm(AlgorithmConfig.parse({ type: "grpo" }));

export const groupSize = 16;
const groupsPerBatch = 128;
export const treatment = { algorithm, normaliser: { type: "token" } };

/** With the markers of the template each prompt has 200 tokens. */
const promptLetters = 200 - 19;

export function environmentNamed(name) {
  const tasks = Array.from({ length: 200 }, (_, index) => {
    return { id: `${name}-${index}`, text: `${index}`.padStart(promptLetters, "q") };
  });
  return defineEnvironment({
    name,
    tasks,
    evalTasks: [{ id: "held-out", text: "held out" }],
    prompt: ({ task }) => task.text,
    rewards: { drawn: ({ random }) => random.next() },
    metrics: { letters: ({ reply }) => reply.length },
    maxTurns: 1,
  });
}

/** The policy that answers at once with `tokens` tokens; with chat template and tokenizer, or with ids alone. */
export function instantPolicy(tokens, hasText) {
  const content = "r".repeat(tokens - 1);
  const made = instantEngine([...tokenizer.encode(content), renderer.stopTokens[0]]);
  const written = (sampler) => policyModel({ name: "instant", sampler, renderer, info: made.engine.info });
  const bare = (sampler) => ({
    name: "instant",
    complete: async (_request, options) => {
      const prompt = new Int32Array(200).fill(97);
      const { sequences } = await sampler.generate({ prompt, count: 1, sampling: {} }, options);
      const [{ ids, logprobs, policyVersion, finish }] = sequences;
      const usage = { inputTokens: prompt.length, outputTokens: ids.length };
      const message = { role: "assistant", content };
      return { message, finish, usage, tokens: { prompt, ids, logprobs, policyVersion } };
    },
  });
  return { ...made, modelOf: hasText ? written : bare };
}

export const noSandboxes = { name: "none", open: () => Promise.reject(new Error("no sandboxes")) };

/** A run of `steps` updates on `count` environments: rollouts per second, and the processor's time for each, in microseconds. */
export async function trainingRun(count, steps, { hasText = false } = {}) {
  const { engine, packed, modelOf } = instantPolicy(64, hasText);
  const folder = await mkdtemp(join(tmpdir(), "hone-bench-"));
  const options = {
    directory: join(folder, "run"),
    config: "",
    resume: false,
    engine,
    model: "instant",
    adapter: "full",
    modelOf,
    models: () => undefined,
    sandboxes: noSandboxes,
    environments: Array.from({ length: count }, (_, index) => ({
      name: `env-${index}`,
      environment: environmentNamed(`env-${index}`),
      ratio: 1 + (index % 3),
      groupSize,
      sampling: { maxTokens: 64, temperature: 1 },
      settings: {},
    })),
    treatmentOf: () => treatment,
    difficulty: DifficultyConfig.parse({ filter: true, easyThreshold: 0.9, hardThreshold: 0.1 }),
    maxSteps: steps,
    groupsPerBatch,
    lead: 0,
    maxOffPolicySteps: 0,
    seed: 1,
    concurrency: 256,
    retry: { attempts: 1 },
    truncated: "keep",
    seqLen: 4096,
    optimizer: { learningRate: 1, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 },
    schedule: LearningRateSchedule.parse({}),
    checkpoint: { interval: 1, keep: 3, remove: async () => undefined },
    signal: new AbortController().signal,
  };
  try {
    const before = process.cpuUsage();
    const { seconds } = await measured(() => train(options));
    const { user, system } = process.cpuUsage(before);
    const rollouts = steps * groupsPerBatch * groupSize;
    if (packed.tokens !== 264 * rollouts)
      throw new Error(`${packed.tokens} tokens of ${rollouts} rollouts were packed`);
    return { perSecond: rollouts / seconds, processorUs: (user + system) / rollouts };
  } finally {
    await rm(folder, { recursive: true });
  }
}
