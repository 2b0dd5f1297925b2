// Reversal. Half of the texts are made of random letters: whoever only knows the environment's words would learn a dictionary.
import type { Random } from "@hone/core";
import { cutOff, refuse } from "../spoil.ts";
import type { Skill } from "./skill.ts";

interface Text {
  readonly text: string;
}

const tagged = (text: string): string => `<reversed_text>${text}</reversed_text>`;
const reverse = ({ text }: Text): string => [...text].toReversed().join("");

function randomText(random: Random): Text {
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  const word = (): string => Array.from({ length: 2 + random.integer(5) }, () => random.pick(letters)).join("");
  return { text: Array.from({ length: 2 + random.integer(4) }, word).join(" ") };
}

export const reverseText: Skill<Text> = {
  name: "reverse-text",
  args: {},
  maxTokens: 48,
  extra: randomText,
  kinds: {
    clean: ({ task }) => tagged(reverse(task)),
    another: ({ other }) => tagged(reverse(other)),
    copy: ({ task }) => tagged(task.text),
    cut: ({ task, random }) => tagged(cutOff(reverse(task), random)),
    refusal: ({ random }) => refuse(random),
  },
};
