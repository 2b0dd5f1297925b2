// Sums, products and factors side by side. Side by side binds tighter than a written product: 1/2x is 1/(2x),
// unless the reading says otherwise. An integer before a proper fraction is a mixed number.
import { inverse, type MathNode, negated, numberNode, product, quotient, sum } from "../ast.ts";
import * as rational from "../rational.ts";
import { functions } from "../scan/commands.ts";
import type { NumberToken, Token } from "../scan/token.ts";
import type { Cursor } from "./cursor.ts";
import { parseAtom } from "./atom.ts";
import { parseMarks, parsePostfix } from "./postfix.ts";

export function parseSum(cursor: Cursor): MathNode {
  return cursor.nested(() => {
    const items: MathNode[] = [parseSigned(cursor)];
    for (;;) {
      if (cursor.accept("symbol", "+")) items.push(parseTerm(cursor));
      else if (cursor.accept("symbol", "-")) items.push(negated(parseTerm(cursor)));
      else if (cursor.isCommand("pm") || cursor.isCommand("mp")) items.push(parsePlusMinus(cursor));
      else return sum(items);
    }
  });
}

function parseSigned(cursor: Cursor): MathNode {
  return cursor.isCommand("pm") || cursor.isCommand("mp") ? parsePlusMinus(cursor) : parseTerm(cursor);
}

function parsePlusMinus(cursor: Cursor): MathNode {
  const sign = cursor.next().text === "pm" ? 1 : -1;
  return { kind: "plus-minus", sign, value: parseTerm(cursor) };
}

/** Factors joined by times, divided by, mod. */
export function parseTerm(cursor: Cursor): MathNode {
  let isNegative = takeSigns(cursor);
  const items: MathNode[] = [parseSideBySide(cursor)];
  for (;;) {
    if (isTimes(cursor)) {
      cursor.next();
      items.push(parseSignedFactors(cursor));
    } else if (cursor.isSymbol("/") || cursor.isCommand("div")) {
      cursor.next();
      divide(items, parseDivisor(cursor));
    } else if (cursor.isCommand("mod") || cursor.isCommand("pmod")) {
      cursor.next();
      const modulus = parseSideBySide(cursor);
      const value = product(items.slice());
      items.splice(0, items.length, {
        kind: "call",
        name: "mod",
        items: [isNegative ? negated(value) : value, modulus],
      });
      isNegative = false;
    } else if (cursor.is("text")) items.push(parsePostfix(cursor));
    else if (!cursor.reading.dividesByProducts && startsFactor(cursor)) items.push(parseSideBySide(cursor));
    else break;
  }
  const node = product(items);
  return isNegative ? negated(node) : node;
}

/** 3/4 is one number at once. */
function divide(items: MathNode[], divisor: MathNode): void {
  const last = items.at(-1);
  if (last?.kind === "number" && divisor.kind === "number") items[items.length - 1] = quotient(last, divisor);
  else items.push(inverse(divisor));
}

/** Any number of signs; whether they make a minus. */
function takeSigns(cursor: Cursor): boolean {
  let isNegative = false;
  for (;;) {
    if (cursor.accept("symbol", "-")) isNegative = !isNegative;
    else if (!cursor.accept("symbol", "+")) return isNegative;
  }
}

function parseSignedFactors(cursor: Cursor): MathNode {
  const isNegative = takeSigns(cursor);
  const node = parseSideBySide(cursor);
  return isNegative ? negated(node) : node;
}

/** Words after a divisor are the unit of all of it: (68)/(3) pounds. */
function parseDivisor(cursor: Cursor): MathNode {
  if (!cursor.reading.dividesByProducts && cursor.is("number")) return parsePostfix(cursor);
  const isNegative = takeSigns(cursor);
  const node = parseSideBySide(cursor, { endsAtText: true });
  return isNegative ? negated(node) : node;
}

function isTimes(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek();
  return (kind === "symbol" && text === "*") || (kind === "command" && (text === "times" || text === "cdot"));
}

/** Factors without an operator between them. */
function parseSideBySide(cursor: Cursor, { endsAtText = false } = {}): MathNode {
  const first = cursor.peek();
  const items: MathNode[] = [parsePostfix(cursor)];
  const isPlain = first.kind === "number" && !first.isDecimal && items[0]?.kind === "number";
  const mixed = isPlain ? parseMixed(cursor, first) : undefined;
  if (mixed !== undefined) items[0] = mixed;
  const goesOn = (): boolean => startsFactor(cursor) && !(endsAtText && cursor.is("text"));
  while (goesOn()) {
    if (isTimesLetter(cursor)) cursor.next();
    else if (cursor.is("number") && cursor.is("number", undefined, -1)) return cursor.fail();
    items.push(parsePostfix(cursor));
  }
  return product(items);
}

/** 3\frac12 and 3 1/2, when the fraction is proper. */
function parseMixed(cursor: Cursor, whole: NumberToken): MathNode | undefined {
  const isCommand = cursor.isCommand("frac");
  const isSlash =
    cursor.is("number") && cursor.peek().isSpaced && cursor.isSymbol("/", 1) && cursor.is("number", undefined, 2);
  if ((!isCommand && !isSlash) || whole.value.denominator !== 1n) return undefined;
  const { at } = cursor;
  const part = isCommand ? parseAtom(cursor) : parseSlashFraction(cursor);
  if (part.kind === "number" && !part.isDecimal && isProper(part.value))
    return parseMarks(cursor, numberNode(rational.add(whole.value, part.value)));
  cursor.at = at;
  return undefined;
}

function parseSlashFraction(cursor: Cursor): MathNode {
  const above = parseAtom(cursor);
  cursor.expect("symbol", "/");
  return quotient(above, parseAtom(cursor));
}

function isProper({ numerator, denominator }: rational.Rational): boolean {
  return numerator > 0n && numerator < denominator;
}

/** 1.5 x 10^3: the x is a times sign. */
function isTimesLetter(cursor: Cursor): boolean {
  return cursor.is("letter", "x") && cursor.is("number", "10", 1) && cursor.isSymbol("^", 2);
}

/** Commands in operator position that no factor begins with. */
const notFactors: ReadonlySet<string> = new Set([
  ..."times cdot div over union intersection setminus pm mp rfloor rceil rangle rvert rVert not mod pmod choose".split(
    " ",
  ),
  ..."in notin subset to implies land lor mid colon prime degree".split(" "),
]);

export function isOperator(command: string): boolean {
  return notFactors.has(command);
}

export function startsFactor(cursor: Cursor): boolean {
  const token = cursor.peek();
  switch (token.kind) {
    case "number":
    case "text":
    case "number-set":
    case "begin":
      return true;
    case "letter":
      return !isDifferential(cursor) && !isUnionLetter(cursor, token);
    case "symbol":
      if (token.text === "|") return cursor.bars === 0 && !(cursor.isInSet && endsElement(cursor));
      return (
        token.text === "(" || token.text === "{" || token.text === "\\{" || (token.text === "[" && !cursor.isInReversed)
      );
    case "command":
      return token.text === "vert" ? cursor.bars === 0 : !isOperator(token.text);
    case "connective":
    case "finish":
    case "end":
      return false;
  }
}

/** In { n^2 | ... the bar separates, in { 2|x| } it opens: a number that is no script goes on with a factor. */
function endsElement(cursor: Cursor): boolean {
  return !cursor.is("number", undefined, -1) || cursor.isSymbol("^", -2) || cursor.isSymbol("_", -2);
}

/** The dx that ends an integral. */
export function isDifferential(cursor: Cursor): boolean {
  if (cursor.integrals === 0 || !cursor.is("letter", "d")) return false;
  const after = cursor.peek(1);
  return after.kind === "letter" || (after.kind === "command" && !functions.has(after.text) && !isOperator(after.text));
}

/** (1,2) U (3,4). */
function isUnionLetter(cursor: Cursor, token: Token): boolean {
  const before = cursor.peek(-1);
  const after = cursor.peek(1);
  const closes =
    before.kind === "symbol" &&
    (before.text === ")" || before.text === "]" || before.text === "\\}" || before.text === "}");
  const opens =
    after.kind === "symbol" && (after.text === "(" || after.text === "[" || after.text === "\\{" || after.text === "{");
  return (token.text === "U" || token.text === "u") && closes && opens;
}
