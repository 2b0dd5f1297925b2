// The answer in a reply. "boxed" takes the last \boxed{...} or nothing; "priority" also takes what is announced as the answer,
// then the last mathematics or number there is. One pass over the text for each kind of mark: a hostile reply costs its length.
import { MaybeThinkParser } from "../parse/think-parser.ts";
import { extractBoxed } from "../reward/extract.ts";
import { withinBounds, Work } from "./bounds.ts";
import { normalise } from "./normalise.ts";
import { readAnswer } from "./read.ts";
import { wordCommands } from "./scan/commands.ts";
import { isDigit } from "./scan/number.ts";
import { lastBoxes, mathSegments, type Segment } from "./scan/segments.ts";
import { firstReading } from "./scan/token.ts";

export interface ExtractMathOptions {
  readonly mode: "boxed" | "priority";
}

/** "" when there is none. What stands before the last </think> is not looked at. */
export function extractMathAnswer(text: string, { mode }: ExtractMathOptions): string {
  const reply = new MaybeThinkParser().parse(text);
  return mode === "boxed" ? extractBoxed(reply, { strict: true }) : extractPriority(reply);
}

/** Words around mathematics, or an announced answer: not an answer by itself. */
export function isProse(text: string): boolean {
  if (/\banswers?\b/i.test(text)) return true;
  if (/^[A-Za-z]/.test(text) && /\d/.test(text) && countWords(text) > 2) return true;
  if (!/\$|\\\(|\\\[/.test(text)) return false;
  const segments = mathSegments(text);
  const around = segments.map(({ start }, index) => text.slice(segments[index - 1]?.end ?? 0, start));
  around.push(text.slice(segments.at(-1)?.end ?? 0));
  return segments.length > 0 && countWords(around.join(" ")) > 1;
}

/** Words of prose: not the names of functions. */
function countWords(text: string): number {
  return (text.match(/[a-zA-Z]{2,}/g) ?? []).filter((word) => !wordCommands.has(word)).length;
}

/** Each level in turn, in each the last match first; the first that can be read wins. */
export function extractPriority(text: string): string {
  const finds = findAll(text);
  for (const level of levels(text, finds)) {
    const found = level.find((candidate) => candidate !== "" && isReadable(candidate));
    if (found !== undefined) return found;
  }
  return "";
}

const longestCandidate = 2000;

function isReadable(candidate: string): boolean {
  if (candidate.length > longestCandidate) return false;
  return withinBounds(() => readAnswer(normalise(candidate), firstReading, new Work())) !== undefined;
}

interface Finds {
  /** Mathematics and numbers in order, joined where they belong together. */
  readonly values: readonly Segment[];
  /** Where "answer" ends, and whether "final" stands before it. */
  readonly answers: readonly { readonly at: number; readonly isFinal: boolean }[];
}

const mostTries = 40;

function findAll(text: string): Finds {
  const mathematics = joined(text, mathSegments(text));
  const values = [...mathematics, ...numbersOutside(text, mathematics)].sort((a, b) => a.start - b.start);
  const answers = [...text.matchAll(/(final )?answers?\b/gi)].map((match) => ({
    at: match.index + match[0].length,
    isFinal: match[1] !== undefined,
  }));
  return { values, answers: answers.slice(-mostTries).toReversed() };
}

function* levels(text: string, { values, answers }: Finds): Generator<readonly string[]> {
  const after = (at: number, span: number): string => {
    const found = firstFrom(values, at);
    return found !== undefined && found.start - at <= span ? found.content : "";
  };
  const isHoped = (at: number): boolean => /^\s+is:?\s.{0,200}?I hope/is.test(text.slice(at, at + 260));
  yield answers.filter(({ at, isFinal }) => isFinal && isHoped(at)).map(({ at }) => after(at, 30));
  yield [lastBoxes(text)?.content ?? "", ...answers.filter(({ isFinal }) => isFinal).map(({ at }) => after(at, 120))];
  const said = ({ at }: { readonly at: number }): string[] => {
    const line = announced(text, at);
    return isFormula(line) ? [line, after(at, 60)] : [after(at, 60), line];
  };
  yield answers.filter(({ at }) => /^[*\s]*:/.test(text.slice(at, at + 6))).flatMap(said);
  yield answers.flatMap(said);
  yield values
    .slice(-mostTries)
    .map(({ content }) => content)
    .toReversed();
}

/** The first value that begins at `at` or later. */
function firstFrom(values: readonly Segment[], at: number): Segment | undefined {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle]?.start ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return values[low];
}

/** A choice or a word: "answer is (C)", "answer: even". */
function announced(text: string, at: number): string {
  const line = /^[*\s]*(?:is|:)[*:\s]*([^\n]{1,60})/i.exec(text.slice(at, at + 80))?.[1] ?? "";
  const choice = /^[*\s]*\(?([A-J])\)?(?=[).,:*\s]|$)/.exec(line)?.[1];
  return choice ?? line.replace(/[.*\s]+$/, "");
}

/** LaTeX without delimiters, or letters and signs without words. */
function isFormula(line: string): boolean {
  return !line.includes("$") && /\d/.test(line) && /[\\=<>]/.test(line) && !/(?<!\\)\b[a-zA-Z]{4,}/.test(line);
}

const joint = /^\s*(?:,?\s*(?:and|or)\b|,)\s*$/;
const percent = /^\s*(?:\\?%|percent(?:age)?\b|pct\b)/i;
const mostJoined = 6;

/** Mathematics joined by commas, "and" or "or" is one answer; a percent sign after it belongs to it. */
function joined(text: string, segments: readonly Segment[]): Segment[] {
  const results: { start: number; end: number; content: string; count: number }[] = [];
  for (const { start, end, content } of segments) {
    const last = results.at(-1);
    const sign = percent.exec(text.slice(end, end + 12));
    const value = sign === null ? content : `${content}\\%`;
    const until = end + (sign?.[0].length ?? 0);
    if (
      last !== undefined &&
      last.count < mostJoined &&
      start - last.end < 12 &&
      joint.test(text.slice(last.end, start))
    )
      Object.assign(last, { end: until, content: `${last.content}, ${value}`, count: last.count + 1 });
    else results.push({ start, end: until, content: value, count: 1 });
  }
  return results;
}

/** Numbers and plain arithmetic that stand outside delimited mathematics. */
function numbersOutside(text: string, segments: readonly Segment[]): Segment[] {
  const found: Segment[] = [];
  let next = 0;
  for (let at = 0; at < text.length; at++) {
    const segment = segments[next];
    if (segment !== undefined && at >= segment.start) {
      at = segment.end - 1;
      next++;
    } else if (isDigit(text[at])) {
      const run = numberAt(text, at);
      at = run.end - 1;
      if (!/[\w\\.]/.test(text[run.start - 1] ?? "")) found.push(run);
    }
  }
  return found;
}

const arithmetic = new Set("0123456789.,+-*/^()×÷");
const operators = new Set(".,+-*/^(×÷");

/** The run of digits and operators around a digit; what it cannot end with is left off. */
function numberAt(text: string, digit: number): Segment {
  let start = digit;
  while (digit - start < 3 && (text[start - 1] === "-" || text[start - 1] === "(")) start--;
  let end = digit;
  while (arithmetic.has(text[end] ?? "") || isThousandsSpace(text, end)) end++;
  let last = end;
  while (last > digit && operators.has(text[last - 1] ?? "")) last--;
  const sign = percent.exec(text.slice(end, end + 12))?.[0] ?? "";
  const content = balanced(text.slice(start, last));
  return { start, end: end + sign.length, content: sign === "" ? content : `${content}\\%` };
}

/** 1 234.00: a space between one to three digits and exactly three. */
function isThousandsSpace(text: string, at: number): boolean {
  if (text[at] !== " ") return false;
  let before = 0;
  while (before < 4 && isDigit(text[at - 1 - before])) before++;
  let after = 0;
  while (after < 4 && isDigit(text[at + 1 + after])) after++;
  return before >= 1 && before <= 3 && after === 3;
}

/** (0.33) and 3) from a list of numbers in a sentence: brackets without a partner are dropped. */
function balanced(text: string): string {
  const opened = text.split("(").length;
  const closed = text.split(")").length;
  return opened === closed ? text : text.replaceAll(/[()]/g, "");
}
