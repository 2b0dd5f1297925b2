// A small environment for tests of training: say the word of the task. A scripted model says it for some rollouts and not for others.
import { defineEnvironment } from "@hone/env";
import { DifficultyConfig } from "../schedule/difficulty.ts";
import type { TrainEnvironment } from "../nouns.ts";

export function wordsEnvironment(name: string, count: number, more: Partial<TrainEnvironment> = {}): TrainEnvironment {
  const tasks = Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, word: `word${index}` }));
  const environment = defineEnvironment({
    name,
    tasks,
    evalTasks: [{ id: "held", word: "held" }],
    prompt: ({ task }) => task.word,
    rewards: { said: ({ task, reply }) => reply === task.word },
    maxTurns: 1,
  });
  return { name, environment, ratio: 1, groupSize: 4, sampling: {}, settings: {}, ...more };
}

export const noDifficulty = DifficultyConfig.parse({});
