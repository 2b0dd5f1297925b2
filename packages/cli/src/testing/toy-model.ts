// Training in milliseconds for tests of the command line: the toy engine behind a model folder that has a real tokenizer and chat template.
import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createToyEngine } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { tinyModelFolder } from "@hone/tiny";
import { loadTokenizer } from "@hone/tokens";
import type { OpenEngine } from "../engines/open-engine.ts";
import type { TrainConfig } from "../training/train.ts";
import { provideEnvironment, type Workspace, workspace } from "./workspace.ts";

/** Share of the reply that is small letters. A bigram learns that. */
export function lowerCase(name = "lower-case") {
  return defineEnvironment({
    name,
    tasks: Array.from({ length: 60 }, (_, index) => ({ id: `t${index}`, text: `say something, ${index}` })),
    prompt: ({ task }) => task.text,
    gold: ({ task }) => task.text.replaceAll(/[^a-z]/g, ""),
    rewards: { share: ({ reply }) => (reply.match(/[a-z]/g) ?? []).length / Math.max(1, reply.length) },
    metrics: { all: ({ reply }) => /^[a-z]+$/.test(reply) },
    maxTurns: 1,
  });
}

export const toyEngine: OpenEngine = async ({ model, checkpoints }) => {
  const { tokenizer } = await loadTokenizer(model);
  return createToyEngine({
    vocabularySize: tokenizer.vocabularySize,
    contextTokens: 512,
    seed: basename(model) === "teacher" ? 2 : 1,
    checkpoints: {
      read: (name) => readFile(join(checkpoints, name)).catch(() => undefined),
      write: (name, bytes) => writeWhole(join(checkpoints, name), bytes),
    },
    writeFile: writeWhole,
  });
};

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, bytes);
  await rename(`${path}.part`, path);
}

/** A workspace with the models `./toy` and `./teacher`, to be used with `toyEngine`, and the environment above. */
export async function withToy(): Promise<Workspace> {
  const made = await workspace();
  await provideEnvironment(made, "lower-case", lowerCase());
  for (const name of ["toy", "teacher"]) await writeToyFolder(join(made.folder, name));
  return made;
}

async function writeToyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]) {
    await cp(join(tinyModelFolder, file), join(folder, file));
  }
  await writeFile(join(folder, "config.json"), "{}\n");
}

export const toyConfig: TrainConfig = {
  model: "./toy",
  env: [{ id: "lower-case" }],
  maxSteps: 4,
  batchSize: 32,
  groupSize: 8,
  lora: false,
  sampling: { maxTokens: 2 },
  optimizer: { learningRate: 1, gradClip: 0 },
  eval: { interval: 2, numTasks: 5, groupSize: 4 },
};
