// Relations and what binds tighter than they do but looser than plus: set operations and ratios.
import type { MathNode, RelationOperator, SetOperator } from "../ast.ts";
import { limits } from "../bounds.ts";
import { isName } from "../names.ts";
import { parseSum } from "./arithmetic.ts";
import type { Cursor } from "./cursor.ts";

/** "~" stands for "about": it is gone from the result. */
type Operator = RelationOperator | "~";

const symbols: ReadonlySet<string> = new Set(["=", "!=", "<", "<=", ">", ">=", "~"]);
const commands: ReadonlyMap<string, Operator> = new Map([
  ["in", "in"],
  ["notin", "not-in"],
  ["subset", "subset"],
  ["to", "to"],
  ["implies", "implies"],
]);

/** One element of a list: an expression, or a chain of relations. */
export function parseElement(cursor: Cursor): MathNode {
  const items = [parseSetExpression(cursor)];
  const operators: Operator[] = [];
  for (;;) {
    const operator = takeOperator(cursor);
    if (operator === undefined) break;
    const isTrailing = cursor.is("end") && (operator === "=" || operator === "~");
    if (isTrailing) break;
    operators.push(operator);
    items.push(parseSetExpression(cursor));
  }
  return relationOf(items, operators);
}

function takeOperator(cursor: Cursor): Operator | undefined {
  const token = cursor.peek();
  if (token.kind === "symbol" && symbols.has(token.text)) return cursor.next().text as Operator;
  if (token.kind !== "command") return undefined;
  if (token.text === "not") {
    cursor.next();
    if (cursor.accept("symbol", "=")) return "!=";
    cursor.expect("command", "in");
    return "not-in";
  }
  const operator = commands.get(token.text);
  if (operator !== undefined) cursor.next();
  return operator;
}

/** "x = \sqrt{2} \approx 1.41" keeps the exact part; "x \approx 1.41" has only the other. */
function relationOf(items: readonly MathNode[], operators: readonly Operator[]): MathNode {
  const about = operators.indexOf("~");
  const before = items[about];
  if (about !== -1 && before !== undefined && !isName(before))
    return relationOf(items.slice(0, about + 1), operators.slice(0, about));
  const [first] = items;
  if (operators.length === 0 && first !== undefined) return first;
  const exact = operators.map((operator): RelationOperator => (operator === "~" ? "=" : operator));
  return { kind: "relation", operators: exact, items };
}

const setOperators: ReadonlyMap<string, SetOperator> = new Map([
  ["union", "union"],
  ["intersection", "intersection"],
  ["setminus", "minus"],
]);

/** Unions, intersections and differences from left to right; ratios a : b : c. */
function parseSetExpression(cursor: Cursor): MathNode {
  let left = parseRatio(cursor);
  for (let chain = 0; ; chain++) {
    const operator = takeSetOperator(cursor, left);
    if (operator === undefined) return left;
    if (chain > limits.chain && (left.kind !== "set-operation" || left.operator !== operator)) cursor.fail();
    const items = [left];
    do items.push(parseRatio(cursor));
    while (takeSameOperator(cursor, items.at(-1), operator));
    left = { kind: "set-operation", operator, items };
  }
}

function takeSameOperator(cursor: Cursor, left: MathNode | undefined, operator: SetOperator): boolean {
  const { at } = cursor;
  if (left !== undefined && takeSetOperator(cursor, left) === operator) return true;
  cursor.at = at;
  return false;
}

/** U between brackets is a union: (1,2) U (3,4). */
function takeSetOperator(cursor: Cursor, left: MathNode): SetOperator | undefined {
  const token = cursor.peek();
  const isLetter = token.kind === "letter" && (token.text === "U" || token.text === "u");
  const operator =
    token.kind === "command" ? setOperators.get(token.text) : isLetter && isSetLike(left) ? "union" : undefined;
  if (operator !== undefined) cursor.next();
  return operator;
}

function isSetLike(node: MathNode): boolean {
  return node.kind === "tuple" || node.kind === "set" || node.kind === "set-operation" || node.kind === "number-set";
}

function parseRatio(cursor: Cursor): MathNode {
  const items = [parseSum(cursor)];
  while (!cursor.isInSet && (cursor.isSymbol(":") || cursor.isCommand("colon"))) {
    cursor.next();
    items.push(parseSum(cursor));
  }
  const [first] = items;
  return items.length === 1 && first !== undefined ? first : { kind: "ratio", items };
}
