// Brackets: grouping, tuples and intervals, sets with or without conditions, absolute values.
import { call, type MathNode, type TupleNode } from "../ast.ts";
import { parseElements } from "./answer.ts";
import { parseElement } from "./relation.ts";
import { parseSum } from "./arithmetic.ts";
import type { Token } from "../scan/token.ts";
import type { Cursor } from "./cursor.ts";
import { parseEnvironment } from "./environment.ts";
import { parseOver } from "./postfix.ts";

/** `open` has been taken. */
export function parseBracket(cursor: Cursor, open: string): MathNode {
  switch (open) {
    case "(":
    case "[":
      return parseTuple(cursor, open);
    case "]":
      return parseReversed(cursor);
    case "{":
      return parseBraces(cursor);
    case "\\{":
      return isSystem(cursor.peek()) ? parseSystem(cursor) : parseSet(cursor, "\\}");
    case "|":
      return parseBars(cursor, "symbol", "|");
    default:
      return cursor.fail();
  }
}

/** One element is a grouping, more are a tuple or an interval. Parsed once, however often the parser comes back to it. */
function parseTuple(cursor: Cursor, open: "(" | "["): MathNode {
  return cursor.once(() =>
    cursor.bracketed(() => {
      const items = parseItems(cursor);
      const close = cursor.next();
      if (close.kind !== "symbol" || (close.text !== ")" && close.text !== "]")) return cursor.fail();
      const [first] = items;
      if (first === undefined) return cursor.fail();
      if (items.length > 1) return { kind: "tuple", open, close: close.text, items };
      return (open === "(") === (close.text === ")") ? first : cursor.fail();
    }),
  );
}

/** ]1, 2[ is what others write (1, 2). */
function parseReversed(cursor: Cursor): TupleNode {
  return cursor.bracketed(() => {
    cursor.isInReversed = true;
    const items = parseItems(cursor);
    const close = cursor.next();
    if (items.length !== 2 || close.kind !== "symbol") return cursor.fail();
    if (close.text === "[" || close.text === ")") return { kind: "tuple", open: "(", close: ")", items };
    if (close.text === "]") return { kind: "tuple", open: "(", close: "]", items };
    return cursor.fail();
  });
}

function parseItems(cursor: Cursor): MathNode[] {
  const items = [parseItem(cursor)];
  while (cursor.isSymbol(",") || cursor.isSymbol(";")) {
    cursor.next();
    if (cursor.is("connective")) cursor.next();
    if (cursor.isSymbol(")") || cursor.isSymbol("]")) break;
    items.push(parseItem(cursor));
  }
  return items;
}

/** An element; conditions joined by "or" are one condition, other things a list. */
function parseItem(cursor: Cursor): MathNode {
  const first = parseElement(cursor);
  const items = [first];
  let operator: "and" | "or" = "and";
  while (cursor.is("connective") || cursor.isCommand("land") || cursor.isCommand("lor")) {
    const { text } = cursor.next();
    operator = text === "or" || text === "lor" ? "or" : "and";
    items.push(parseElement(cursor));
  }
  if (items.length === 1) return first;
  const areConditions = items.every(({ kind }) => kind === "relation" || kind === "logic");
  return areConditions ? { kind: "logic", operator, items } : { kind: "list", items };
}

/** { ... } that is no argument: a grouping when it holds one element, otherwise a set. */
function parseBraces(cursor: Cursor): MathNode {
  const node = parseSet(cursor, "}");
  const [first] = node.kind === "set" ? node.items : [];
  return node.kind === "set" && node.items.length === 1 && first !== undefined ? first : node;
}

function parseSet(cursor: Cursor, close: "}" | "\\}"): MathNode {
  if (cursor.accept("symbol", close)) return { kind: "number-set", name: "empty" };
  return cursor.bracketed(() => {
    const items: MathNode[] = [];
    do {
      items.push(parseOver(cursor, parseElement(cursor)));
      if (items.length === 1 && takeSuchThat(cursor)) {
        const conditions = parseConditions(cursor);
        cursor.expect("symbol", close);
        return { kind: "set-builder", element: items[0] ?? cursor.fail(), conditions };
      }
    } while (takeSeparator(cursor));
    cursor.expect("symbol", close);
    return { kind: "set", items };
  }, true);
}

function takeSeparator(cursor: Cursor): boolean {
  let isTaken = false;
  while (cursor.isSymbol(",") || cursor.isSymbol(";") || cursor.is("connective")) {
    cursor.next();
    isTaken = true;
  }
  return isTaken;
}

function takeSuchThat(cursor: Cursor): boolean {
  const isMark =
    cursor.isSymbol("|") ||
    cursor.isSymbol(":") ||
    cursor.isCommand("mid") ||
    cursor.isCommand("vert") ||
    cursor.isCommand("colon");
  if (isMark) cursor.next();
  return isMark;
}

function parseConditions(cursor: Cursor): readonly MathNode[] {
  const node = parseElements(cursor);
  return node.kind === "list" || (node.kind === "logic" && node.operator === "and") ? node.items : [node];
}

function isSystem({ kind, text }: Token): boolean {
  return kind === "begin" && !/^[pbvBV]?(?:small)?matrix$/.test(text);
}

/** \left\{ \begin{array}... with or without its other brace. */
function parseSystem(cursor: Cursor): MathNode {
  const node = cursor.nested(() => parseEnvironment(cursor, cursor.next().text, true));
  cursor.accept("symbol", "\\}");
  return node;
}

/** |x|: the next bar in operator position closes. */
export function parseBars(cursor: Cursor, kind: "symbol" | "command", close: string): MathNode {
  return cursor.nested(() => {
    cursor.bars++;
    const wasInSet = cursor.isInSet;
    cursor.isInSet = false;
    const inside = parseSum(cursor);
    cursor.isInSet = wasInSet;
    cursor.expect(kind, close);
    cursor.bars--;
    return call("abs", inside);
  });
}
