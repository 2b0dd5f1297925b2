// Operands: numbers, letters with their subscripts and arguments, words, and whatever begins with a bracket or a command.
import { type MathNode, numberNode, symbol } from "../ast.ts";
import type { Token } from "../scan/token.ts";
import { parseBracket } from "./bracket.ts";
import { parseCommand } from "./command.ts";
import type { Cursor } from "./cursor.ts";
import { parseEnvironment } from "./environment.ts";
import { parseScript } from "./postfix.ts";

export interface AtomPlace {
  /** As a script without braces: a letter takes neither argument nor subscript. */
  readonly isScript?: boolean;
}

export function parseAtom(cursor: Cursor, { isScript = false }: AtomPlace = {}): MathNode {
  const token = cursor.next();
  switch (token.kind) {
    case "number":
      return numberNode(token.value, token.isDecimal);
    case "letter":
      return isScript ? letterNode(token.text) : parseLetter(cursor, token.text);
    case "text":
      return { kind: "text", text: token.text };
    case "number-set":
      return parseNumberSet(cursor, token);
    case "symbol":
      return parseBracket(cursor, token.text);
    case "command":
      return parseCommand(cursor, token.text);
    case "begin":
      return parseEnvironment(cursor, token.text);
    case "connective":
    case "finish":
    case "end":
      return cursor.fail();
  }
}

function letterNode(letter: string): MathNode {
  return letter === "i" || letter === "e" ? { kind: "constant", name: letter } : symbol(letter);
}

function parseLetter(cursor: Cursor, letter: string): MathNode {
  if ((letter === "i" || letter === "e") && !cursor.isSymbol("_")) return letterNode(letter);
  return parseNamed(cursor, letter);
}

/** A name with what may follow it: a subscript, arguments in brackets. */
export function parseNamed(cursor: Cursor, name: string): MathNode {
  let node: MathNode = symbol(name);
  if (cursor.accept("symbol", "_")) node = indexed(name, parseScript(cursor));
  if (!cursor.isSymbol("(") || node.kind !== "symbol") return node;
  return cursor.attempt(() => parseArguments(cursor, name)) ?? node;
}

/** a_1 is a name of its own; a_n and a_{n+1} depend on n. */
function indexed(name: string, index: MathNode): MathNode {
  if (index.kind === "number") return symbol(`${name}_${index.value.numerator}/${index.value.denominator}`);
  if (index.kind === "text") return symbol(`${name}_${index.text}`);
  if (index.kind === "list") return symbol(`${name}_${index.items.length}`);
  return { kind: "apply", name: `${name}_`, items: [index] };
}

/** Letters that are always functions. Others multiply, x(x+1), unless what is in the brackets cannot be a factor. */
const functionLetters: ReadonlySet<string> = new Set(["f", "g", "h", "F", "G", "H", "f'", "g'"]);

function parseArguments(cursor: Cursor, name: string): MathNode {
  cursor.next();
  const inside = parseBracket(cursor, "(");
  const items = inside.kind === "tuple" ? inside.items : [inside];
  const isFunction = functionLetters.has(name) || items.length > 1 || items.some(isNoFactor);
  return isFunction ? { kind: "apply", name, items } : cursor.fail();
}

function isNoFactor(node: MathNode): boolean {
  return node.kind === "relation" || node.kind === "text" || node.kind === "list" || node.kind === "logic";
}

const numberSets = { N: "naturals", Z: "integers", Q: "rationals", R: "reals", C: "complexes" } as const;

/** \mathbb{R}; \mathbb{R}^+ is the positive half, \mathbb{Z}^+ the naturals, \mathbb{R}^n a power. */
function parseNumberSet(cursor: Cursor, { text }: Token): MathNode {
  const name = numberSets[text as keyof typeof numberSets];
  const all: MathNode = { kind: "number-set", name };
  if (!cursor.isSymbol("^")) return all;
  const isGroup = cursor.isSymbol("{", 1);
  const mark = cursor.peek(isGroup ? 2 : 1);
  if (mark.kind !== "symbol" || (mark.text !== "+" && mark.text !== "*" && mark.text !== "-")) return all;
  for (let count = isGroup ? 4 : 2; count > 0; count--) cursor.next();
  if (mark.text === "+" && (text === "Z" || text === "N")) return { kind: "number-set", name: "naturals" };
  if (mark.text === "*" && text === "N") return { kind: "number-set", name: "naturals" };
  const infinite: MathNode = { kind: "constant", name: "infinity" };
  const none = numberNode({ numerator: 0n, denominator: 1n });
  if (mark.text === "+" && text === "R") return { kind: "tuple", open: "(", close: ")", items: [none, infinite] };
  if (mark.text === "*")
    return { kind: "set-operation", operator: "minus", items: [all, { kind: "set", items: [none] }] };
  return { kind: "apply", name: `^${mark.text}`, items: [all] };
}
