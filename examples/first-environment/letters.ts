import { defineEnvironment, extractBoxed } from "@hone/env";

const words = ["strawberry", "bookkeeper", "mississippi", "banana", "committee", "raspberry"];
const count = (word: string, letter: string): string => String(word.split(letter).length - 1);

export default defineEnvironment({
  name: "letters",
  tasks: words.flatMap((word) => [...new Set(word)].map((letter) => ({ word, letter }))),
  prompt: ({ task }) => `How often is the letter ${task.letter} in "${task.word}"? Put the number in \\boxed{}.`,
  gold: ({ task }) => `\\boxed{${count(task.word, task.letter)}}`,
  rewards: {
    correct: ({ task, reply }) => extractBoxed(reply, { strict: true }) === count(task.word, task.letter),
  },
  metrics: {
    letters: ({ reply }) => reply.length,
  },
});
