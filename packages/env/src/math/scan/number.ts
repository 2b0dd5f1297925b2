// Scans numerals: digits, decimals, thousands, powers of ten (6.02e23), repeating decimals and other bases (1010_2).
// Every scan is one pass over the characters that it takes.
import { limits, OutOfBounds } from "../bounds.ts";
import { fraction, integer, type Rational } from "../rational.ts";
import type { Reading } from "./token.ts";

export interface Numeral {
  readonly value: Rational;
  readonly isDecimal: boolean;
  /** Where the text goes on. */
  readonly end: number;
}

/** 1,000 and 1 000, and what LaTeX makes of them. */
const thousandsMark = /(?:,\s?\\!\s?|,|\{,\}|\\,|\\!| )(?=\d{3}(?!\d))/y;
/** Inside brackets only a mark that cannot separate joins digits: 1{,}000, 1,\!000. */
const unambiguousMark = /(?:\{,\}|\\,|,\s?\\!\s?)(?=\d{3}(?!\d))/y;
const ellipsis = /\s?(?:\.\.\.|\\(?:ldots|dots|cdots)(?![a-zA-Z]))/y;
const powerOfTen = /[eE]([+-]?)(\d{1,9})(?![\w.])/y;
const repeatMark = /(?:\\(?:overline|bar|dot|widebar)\s*\{\s*(\d+)\s*\}|\\(?:overline|bar|dot)\s*(\d)|\((\d+)\))/y;
const basedNumeral =
  /([0-9A-Z]{1,64})(?:\.([0-9A-Z]{1,64}))?\s?_\s?(?:\{\s*(?:\\text\s*\{)?\s*(\d{1,2}|[a-z]+)\s*\}?\s*\}|(\d{1,2}))/y;

export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

/** `text[at]` is a digit, or a point with a digit after it. `isBracketed`: commas around here separate. */
export function scanNumber(text: string, at: number, reading: Reading, isBracketed: boolean): Numeral {
  let end = digitsEnd(text, at);
  let whole = text.slice(at, end);
  const isGrouped = whole.length > 0 && whole.length <= 3 && !whole.startsWith("0");
  const marks = isBracketed || !reading.groupsThousands ? unambiguousMark : thousandsMark;
  for (;;) {
    const mark = isGrouped ? matchAt(marks, text, end)?.[0] : undefined;
    if (mark === undefined) break;
    whole += text.slice(end + mark.length, end + mark.length + 3);
    end += mark.length + 3;
  }
  let digits = "";
  let isDecimal = false;
  if (text[end] === "." && (isDigit(text[end + 1]) || isRepeat(text, end + 1))) {
    const from = end + 1;
    end = digitsEnd(text, from);
    digits = text.slice(from, end);
    isDecimal = true;
    const repeat = matchAt(repeatMark, text, end);
    const repeated = repeat?.[1] ?? repeat?.[2] ?? (digits === "" ? repeat?.[3] : undefined);
    if (repeat !== undefined && repeated !== undefined)
      return { value: repeating(whole, digits, repeated), isDecimal: false, end: end + repeat[0].length };
    const dots = matchAt(ellipsis, text, end)?.[0];
    const last = digits.at(-1) ?? "";
    if (dots !== undefined && digits.length > 1 && digits.at(-2) === last)
      return { value: repeating(whole, digits, last), isDecimal: false, end: end + dots.length };
  }
  const exponent = matchAt(powerOfTen, text, end);
  if (exponent !== undefined && (reading.isScientific || isDecimal || exponent[1] === "")) {
    const shift = Number(exponent[2]) * (exponent[1] === "-" ? -1 : 1);
    return { value: decimal(whole, digits, shift), isDecimal: true, end: end + exponent[0].length };
  }
  return { value: decimal(whole, digits, 0), isDecimal, end };
}

/** Whether a comma here was taken for a mark of thousands although it could separate, or 2e-4 for a power of ten. */
export function isAmbiguousNumeral(text: string): boolean {
  return /\d,[1-9]\d\d(?!\d)/.test(text) || /\d[eE][+-]\d/.test(text);
}

function isRepeat(text: string, at: number): boolean {
  return matchAt(repeatMark, text, at) !== undefined;
}

function digitsEnd(text: string, at: number): number {
  let end = at;
  while (isDigit(text[end])) end++;
  return end;
}

function decimal(whole: string, digits: string, shift: number): Rational {
  const numerator = BigInt(`${whole}${digits}` || "0");
  const places = digits.length - shift;
  if (Math.abs(places) * 3.33 > limits.integerBits) throw new OutOfBounds("digits");
  if (places <= 0) return integer(numerator * 10n ** BigInt(-places));
  if (places > 3000) throw new OutOfBounds("decimals");
  return fraction(numerator, 10n ** BigInt(places)) ?? integer(0);
}

/** 0.1(6) is 1/6: the digits with one period, less the digits before it, over 99..900..0. */
function repeating(whole: string, digits: string, period: string): Rational {
  if (digits.length + period.length > 1000) throw new OutOfBounds("decimals");
  const before = BigInt(`${whole}${digits}` || "0");
  const through = BigInt(`${whole}${digits}${period}`);
  const nines = 10n ** BigInt(period.length) - 1n;
  return fraction(through - before, nines * 10n ** BigInt(digits.length)) ?? integer(0);
}

const baseWords = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(
  " ",
);

/** A numeral with its base as subscript; undefined when a digit does not belong to the base. */
export function scanBased(text: string, at: number): Numeral | undefined {
  const match = matchAt(basedNumeral, text, at);
  if (match === undefined) return undefined;
  const [all, whole = "", digits = "", group, single] = match;
  const named = group ?? single ?? "";
  const base = isDigit(named[0]) ? Number(named) : baseWords.indexOf(named) + 2;
  if (base < 2 || base > 36 || (group !== undefined && !isDigit(named[0]) && !baseWords.includes(named)))
    return undefined;
  // F_{20} is a name, FF_{16} a numeral.
  if (!/\d/.test(whole) && whole.length < 2) return undefined;
  let value = 0n;
  for (const character of `${whole}${digits}`) {
    const digit = Number.parseInt(character, 36);
    if (digit >= base) return undefined;
    value = value * BigInt(base) + BigInt(digit);
  }
  const result = fraction(value, BigInt(base) ** BigInt(digits.length));
  return result && { value: result, isDecimal: false, end: at + all.length };
}

/** The pattern is sticky: it matches at `at` or not at all. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
