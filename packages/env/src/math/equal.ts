// mathEqual: text in, verdict out. Cheap cases first, then every reading of both texts until one pair is equal.
import type { MathNode } from "./ast.ts";
import { limits, withinBounds, Work } from "./bounds.ts";
import { sameAnswer } from "./compare/compare.ts";
import { sameMoment } from "./compare/date.ts";
import { sameWords } from "./compare/text.ts";
import { extractPriority, isProse } from "./extract.ts";
import { normalise } from "./normalise.ts";
import { type MathOptions, resolveMathOptions, type ResolvedMathOptions } from "./options.ts";
import { readAnswer } from "./read.ts";
import { isAmbiguousNumeral } from "./scan/number.ts";
import { firstReading, type Reading } from "./scan/token.ts";
import { foldedPair, hasCommonLogarithm, withCommonLogarithms } from "./variants.ts";

/**
 * Whether two mathematical answers are equal: numbers, expressions, equations, intervals, sets, matrices, words, in LaTeX or plain text.
 * Never throws and never takes long: an answer beyond the bounds equals nothing. An empty answer equals nothing.
 */
export function mathEqual(answer: string, gold: string, options: MathOptions = {}): boolean {
  const resolved = resolveMathOptions(options);
  try {
    return compareAnswers(answer, gold, resolved, new Work());
  } catch {
    return false;
  }
}

/** As mathEqual, with the work counted; out of bounds is false, a mistake of this module throws. */
export function compareAnswers(answer: string, gold: string, options: ResolvedMathOptions, work: Work): boolean {
  const [a, b] = [answer.trim(), gold.trim()];
  if (a === "" || b === "" || a.length > limits.characters || b.length > limits.characters) return false;
  if (a === b) return true;
  if (isShortInteger(a) && isShortInteger(b)) return Number(a) === Number(b);
  return withinBounds(() => compareTexts(a, b, options, work)) ?? false;
}

function isShortInteger(text: string): boolean {
  return text.length < 16 && /^-?\d+$/.test(text);
}

function compareTexts(answer: string, gold: string, options: ResolvedMathOptions, work: Work): boolean {
  for (const a of candidates(answer))
    for (const b of candidates(gold)) {
      if (a === "" || b === "") continue;
      if (a === b) return true;
      if (sameMoment(a, b) ?? compareReadings(a, b, options, work)) return true;
    }
  return false;
}

/** The text itself; of a sentence first the answer in it. */
function candidates(text: string): readonly string[] {
  const whole = normalise(text);
  if (!isProse(text)) return [whole];
  const found = extractPriority(text);
  return [normalise(isProse(found) ? extractPriority(found) : found), whole];
}

function compareReadings(answer: string, gold: string, options: ResolvedMathOptions, work: Work): boolean {
  const golds = readings(gold).map((reading) => readAnswer(gold, reading, work));
  for (const reading of readings(answer)) {
    const a = readAnswer(answer, reading, work);
    for (const b of golds) {
      if (a === undefined || b === undefined) {
        if (sameUnread(answer, gold, options.foldCase)) return true;
      } else if (compareNodes(a, b, options, work)) return true;
    }
  }
  return false;
}

/** What cannot be read is compared as words; what has digits or signs in it, character by character but for spaces. */
function sameUnread(answer: string, gold: string, foldCase: boolean): boolean {
  if (!/[\d^_=<>+*/|]/.test(`${answer}${gold}`)) return sameWords(answer, gold, foldCase);
  const bare = (text: string): string => text.replaceAll(/(?<!\w)\s+|\s+(?!\w)/g, "");
  return bare(answer) === bare(gold);
}

function readings(text: string): readonly Reading[] {
  const all = [firstReading];
  if (isAmbiguousNumeral(text)) all.push({ ...firstReading, groupsThousands: false, isScientific: false });
  if (/\/\s*\d+\s*(?:\\?[a-zA-Z(])/.test(text)) all.push({ ...firstReading, dividesByProducts: false });
  return all;
}

function compareNodes(a: MathNode, b: MathNode, options: ResolvedMathOptions, work: Work): boolean {
  if (sameAnswer(a, b, options, work)) return true;
  const [foldedA, foldedB] = (options.foldCase && foldedPair(a, b)) || [a, b];
  if (foldedA !== a && sameAnswer(foldedA, foldedB, options, work)) return true;
  if (!hasCommonLogarithm(a) && !hasCommonLogarithm(b)) return false;
  return sameAnswer(withCommonLogarithms(foldedA), withCommonLogarithms(foldedB), options, work);
}
