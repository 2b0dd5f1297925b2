// Sums and products over a range, integrals, limits and derivatives, as far as answers contain them.
import { integerNode, type MathNode } from "../ast.ts";
import { mapChildren } from "../tree.ts";
import { isDifferential, parseSum, parseTerm } from "./arithmetic.ts";
import type { Cursor } from "./cursor.ts";
import { parseScript } from "./postfix.ts";

interface Scripts {
  readonly below: MathNode | undefined;
  readonly above: MathNode | undefined;
}

function parseScripts(cursor: Cursor): Scripts {
  let below: MathNode | undefined;
  let above: MathNode | undefined;
  for (;;) {
    if (below === undefined && cursor.accept("symbol", "_")) below = parseScript(cursor);
    else if (above === undefined && cursor.accept("symbol", "^")) above = parseScript(cursor);
    else return { below, above };
  }
}

/** \sum_{k=1}^{n} body. */
export function parseSeries(cursor: Cursor, operator: "sum" | "product"): MathNode {
  const { below, above } = parseScripts(cursor);
  if (below?.kind !== "relation" || below.operators[0] !== "=" || above === undefined) return cursor.fail();
  const [name, from] = below.items;
  const variable = name && variableName(name);
  if (variable === undefined || from === undefined) return cursor.fail();
  const body = unbind(parseTerm(cursor), variable);
  return { kind: "series", operator, variable, from, to: above, body };
}

/** i and e are constants everywhere else, but may count here. */
function variableName(node: MathNode): string | undefined {
  if (node.kind === "symbol") return node.name;
  return node.kind === "constant" && (node.name === "i" || node.name === "e") ? node.name : undefined;
}

function unbind(node: MathNode, variable: string): MathNode {
  if (variable !== "i" && variable !== "e") return node;
  return replaceConstant(node, variable);
}

function replaceConstant(node: MathNode, name: string): MathNode {
  if (node.kind === "constant" && node.name === name) return { kind: "symbol", name };
  return mapChildren(node, (child) => replaceConstant(child, name));
}

/** \int_a^b body dx, or without limits. */
export function parseIntegral(cursor: Cursor): MathNode {
  const { below, above } = parseScripts(cursor);
  if ((below === undefined) !== (above === undefined)) return cursor.fail();
  cursor.integrals++;
  const body = isDifferential(cursor) ? integerNode(1) : parseSum(cursor);
  cursor.integrals--;
  cursor.expect("letter", "d");
  const { kind, text } = cursor.next();
  const variable = kind === "letter" ? text : kind === "command" ? `\\${text}` : cursor.fail();
  return { kind: "integral", variable, from: below, to: above, body };
}

/** \lim_{x \to a} body; a^+ and a^- say from which side. */
export function parseLimit(cursor: Cursor): MathNode {
  const { below } = parseScripts(cursor);
  if (below?.kind !== "relation" || below.operators[0] !== "to") return cursor.fail();
  const [name, target] = below.items;
  if (name?.kind !== "symbol" || target === undefined) return cursor.fail();
  const body = parseTerm(cursor);
  const base = { kind: "limit", variable: name.name, body } as const;
  if (target.kind === "apply" && (target.name === "^+" || target.name === "^-") && target.items[0] !== undefined)
    return { ...base, target: target.items[0], side: target.name === "^+" ? "above" : "below" };
  return { ...base, target, side: "both" };
}

/** \frac{d}{dx} body and \frac{d^2}{dx^2} body, after \frac; undefined when the fraction is an ordinary one. */
export function parseDerivative(cursor: Cursor): MathNode | undefined {
  const above = ["{", "d"].every((text, offset) => cursor.peek(offset).text === text) || cursor.isCommand("partial", 1);
  if (!above || !cursor.isSymbol("{")) return undefined;
  const order = cursor.isSymbol("^", 2) ? cursor.peek(3) : undefined;
  const middle = order === undefined ? 2 : 4;
  if (!cursor.isSymbol("}", middle) || !cursor.isSymbol("{", middle + 1) || !cursor.is("letter", undefined, middle + 3))
    return undefined;
  const variable = cursor.peek(middle + 3).text;
  const times = order === undefined ? 1 : Number(order.text);
  const length = order === undefined ? middle + 5 : middle + 7;
  if (!cursor.isSymbol("}", length - 1) || !(times >= 1 && times <= 4)) return undefined;
  for (let count = 0; count < length; count++) cursor.next();
  let node = parseTerm(cursor);
  for (let count = 0; count < times; count++) node = { kind: "derivative", variable, body: node };
  return node;
}
