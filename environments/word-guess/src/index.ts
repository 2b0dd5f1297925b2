// Guess a five-letter word. After each guess every letter is marked: G in place, Y elsewhere in the word, X not in it (each letter counted once).
// Solving is most of the reward; solving early is the rest.
import { readFileSync } from "node:fs";
import { createRandom, end, endless, MultiTurnEnv, type TurnScope, withArgs } from "@hone/env";
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
  choices: z
    .int()
    .min(2)
    .optional()
    .describe("so many words are shown and the secret is one of them; default: none are"),
  brief: z.boolean().default(false).describe("a prompt in few words, for models that read letter by letter"),
  seed: z.int().default(0).describe("of the choices"),
});

interface Secret {
  readonly word: string;
  /** What the prompt shows. */
  readonly choices?: readonly string[];
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

/** A task per word; with choices tasks never end, and task `index` depends on the arguments and the index alone. */
function secrets(words: readonly string[], choices: number | undefined, seed: number) {
  const all = [...new Set(words)];
  if (choices === undefined) return all.map((word) => ({ id: word, word }));
  if (choices > all.length) throw new RangeError(`choices is ${choices}, but there are ${all.length} words.`);
  return endless(function* () {
    for (let index = 0; ; index++) {
      const random = createRandom(`${seed}/${index}`);
      const shown = random.shuffle(all).slice(0, choices);
      yield { id: `${seed}-${index}`, word: random.pick(shown), choices: shown };
    }
  });
}

const wordy = (tries: number): string =>
  `Guess a secret English word of five letters in at most ${tries} tries. ` +
  "I mark each letter of a guess: G = right place, Y = in the word, elsewhere, X = not in the word. Write each guess as [word].";
const brief = (tries: number): string =>
  `Guess the word in ${tries} tries, as [word]. Marks: G = right place, Y = elsewhere, X = not in it.`;

class WordGuess extends MultiTurnEnv<Secret, Game> {
  readonly #allowed: ReadonlySet<string>;
  readonly #maxGuesses: number;

  constructor({
    words = wordList.filter((word) => /^[a-z]{5}$/.test(word)),
    maxGuesses,
    choices,
    seed,
    ...args
  }: z.output<typeof Args>) {
    super({
      name: "word-guess",
      tasks: secrets(words, choices, seed),
      prompt: ({ task }) =>
        (args.brief ? brief : wordy)(maxGuesses) +
        (task.choices === undefined ? "" : `\nIt is one of: ${task.choices.join(" ")}`),
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
