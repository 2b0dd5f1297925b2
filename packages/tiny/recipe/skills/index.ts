// Every skill that has an environment, by name.
import { alphabetSort } from "./alphabet-sort.ts";
import { arithmetic } from "./arithmetic.ts";
import { calculator } from "./calculator.ts";
import { reverseText } from "./reverse-text.ts";
import type { AnySkill } from "./skill.ts";
import { wordGuess } from "./word-guess.ts";

export const skills: readonly AnySkill[] = [reverseText, alphabetSort, arithmetic, calculator, wordGuess];
