// Guess a five-letter word. After each guess every letter is marked: G in place, Y elsewhere in the word, X not in it (each letter counted once).
// Solving is most of the reward; solving early is the rest.
import { readFileSync } from "node:fs";
import { end, MultiTurnEnv, type TurnScope, withArgs } from "@hone/env";
import { wordList } from "random-words";
import dictionaryPath from "word-list";
import * as z from "zod";

declare module "random-words" {
  export const wordList: readonly string[]; // its own types misspell the name
}

const Args = z.object({
  words: z
    .array(z.string().regex(/^[a-z]{5}$/))
    .min(1)
    .optional()
    .describe("the secret words; default: common English ones"),
  maxGuesses: z.int().min(1).default(6),
});

interface Secret {
  readonly word: string;
}
interface Game {
  guesses: string[];
}

/** G, Y or X for each letter of the guess. */
export function mark(guess: string, word: string): string {
  const marks: string[] = [...guess].map((letter, index) => (word[index] === letter ? "G" : "X"));
  const left = [...word].filter((_letter, index) => marks[index] !== "G");
  for (const [index, letter] of [...guess].entries()) {
    const found = left.indexOf(letter);
    if (marks[index] === "G" || found < 0) continue;
    marks[index] = "Y";
    left.splice(found, 1);
  }
  return marks.join("");
}

class WordGuess extends MultiTurnEnv<Secret, Game> {
  readonly #allowed: ReadonlySet<string>;
  readonly #maxGuesses: number;

  constructor({ words = wordList.filter((word) => /^[a-z]{5}$/.test(word)), maxGuesses }: z.output<typeof Args>) {
    super({
      name: "word-guess",
      tasks: [...new Set(words)].map((word) => ({ id: word, word })),
      prompt: () =>
        `Guess a secret English word of five letters in at most ${maxGuesses} tries. ` +
        "I mark each letter of a guess: G = right place, Y = in the word, elsewhere, X = not in the word. Write each guess as [word].",
      state: () => ({ guesses: [] }),
      gold: ({ task }) => `[${task.word}]`,
      rewards: {
        solved: { weight: 0.8, score: ({ state, task }) => state.guesses.at(-1) === task.word },
        early: {
          weight: 0.2,
          score: ({ state, task }) => (state.guesses.at(-1) === task.word ? 1 / state.guesses.length : 0),
        },
      },
      metrics: {
        guesses: ({ state }) => state.guesses.length,
        best_letters: ({ state, task }) =>
          Math.max(0, ...state.guesses.map((guess) => [...mark(guess, task.word)].filter((m) => m === "G").length)),
      },
      maxTurns: maxGuesses * 2,
    });
    this.#allowed = new Set([
      ...readFileSync(dictionaryPath, "utf8")
        .split("\n")
        .filter((word) => word.length === 5),
      ...words,
    ]);
    this.#maxGuesses = maxGuesses;
  }

  override respond({ reply, state, task }: TurnScope<Secret, Game>) {
    const guess = /.*\[\s*([a-z]+)\s*\]/is.exec(reply)?.[1]?.toLowerCase();
    if (guess === undefined || guess.length !== 5) return "Write your guess as [word], five letters.";
    if (!this.#allowed.has(guess)) return `${guess} is not in the dictionary. Guess again.`;
    state.guesses.push(guess);
    if (guess === task.word) return end("solved", `GGGGG. ${guess} is right.`);
    const left = this.#maxGuesses - state.guesses.length;
    if (left === 0) return end("lost", `${mark(guess, task.word)}. The word was ${task.word}.`);
    return `${guess.toUpperCase()}\n${mark(guess, task.word)}\n${left} ${left === 1 ? "guess" : "guesses"} left.`;
  }
}

export default withArgs(Args, (args) => new WordGuess(args));
