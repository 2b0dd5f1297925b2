// A whole run of fine-tuning in milliseconds, on the toy engine with byte tokens. Used by the tests and, as a program, by the kill test.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type CheckpointStore, createToyEngine } from "@hone/core/testing";
import { chatmlTemplate, createByteTokenizer, createChatTemplate, createRenderer, type Renderer } from "@hone/tokens";
import { LearningRateSchedule } from "../../update/learning-rate.ts";
import type { SftOptions } from "../options.ts";

export const toyTokenizer = createByteTokenizer(["<|im_start|>", "<|im_end|>"]);
export const toyRenderer: Renderer = createRenderer({
  tokenizer: toyTokenizer,
  template: createChatTemplate(chatmlTemplate),
});

/** Lines of a file: short questions with an answer that can be learnt. */
export function toyLines(count: number, answer = "yes"): string {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      messages: [
        { role: "user", content: `question ${index}` },
        { role: "assistant", content: `${answer} ${index}` },
      ],
    }),
  )
    .map((line) => `${line}\n`)
    .join("");
}

/** Checkpoints as files, written whole or not at all: they outlive the process. */
function fileCheckpoints(folder: string): CheckpointStore {
  return {
    read: (name) => readFile(join(folder, name)).catch(() => undefined),
    write: async (name, bytes) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${name}.part`), bytes);
      await rename(join(folder, `${name}.part`), join(folder, name));
    },
  };
}

export function toySft(directory: string, more: Partial<SftOptions> = {}): SftOptions {
  const weights = join(directory, "weights");
  const engine = createToyEngine({
    vocabularySize: toyTokenizer.vocabularySize,
    contextTokens: 512,
    seed: 1,
    checkpoints: fileCheckpoints(weights),
    writeFile: async (path, bytes) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    },
  });
  return {
    directory,
    config: 'model = "toy"\n',
    resume: false,
    cwd: dirname(directory),
    engine,
    model: "toy",
    adapter: "full",
    renderer: toyRenderer,
    data: [{ paths: ["data.jsonl"] }],
    seed: 7,
    seqLen: 512,
    tooLong: "drop",
    trainOn: "all",
    batch: { conversations: 8 },
    partTokens: 200,
    cacheBytes: 1e7,
    optimizer: { learningRate: 0.3, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 },
    schedule: LearningRateSchedule.parse({ type: "cosine", warmupSteps: 2 }),
    evaluation: { interval: 4, fraction: 0.1, paths: [], maxConversations: 100 },
    checkpoint: { interval: 3, keep: 2, remove: ({ checkpoint }) => rm(join(weights, checkpoint), { force: true }) },
    signal: new AbortController().signal,
    ...more,
  };
}
