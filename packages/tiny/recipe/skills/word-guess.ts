// Word-guess among four words that the prompt shows. Clean play is legal, not clever: the next word of the list, whatever the marks say.
// To use the marks is left to be learnt by reinforcement.
import { type Message, textOf } from "@hone/core";
import { refuse } from "../spoil.ts";
import type { Scene, Skill } from "./skill.ts";

interface Secret {
  readonly word: string;
  readonly choices: readonly string[];
}

const bracketed = (word: string): string => `[${word}]`;

/** Guesses so far, read from what the environment said. */
function guessed(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => {
    const found = role === "user" ? /^([A-Z]{5})\n[GXY]{5}\n/.exec(textOf(content)) : null;
    return found === null ? [] : [(found[1] ?? "").toLowerCase()];
  });
}

function next({ task, messages }: Scene<Secret>): string {
  const said = guessed(messages);
  return task.choices.find((word) => !said.includes(word)) ?? task.word;
}

export const wordGuess: Skill<Secret> = {
  name: "word-guess",
  args: { brief: true, choices: 4, maxGuesses: 3 },
  maxTokens: 16,
  cleanReward: 0.8,
  kinds: {
    clean: (scene) => bracketed(next(scene)),
    /** The same word again and again. Words at random would be no better: to copy any word is harder than to copy the next. */
    stubborn: ({ task, messages }) => bracketed(guessed(messages)[0] ?? task.choices[0] ?? ""),
    /** What is no guess is asked for again, so not every turn may be none. */
    unbracketed: (scene) => (scene.random.next() < 0.5 ? next(scene) : bracketed(next(scene))),
    refusal: (scene) => (scene.random.next() < 0.5 ? refuse(scene.random) : bracketed(next(scene))),
  },
};
