// What stands after an operand: powers, subscripts, factorials, primes, percent and degree signs.
import { call, integerNode, type MathNode, negated, numberNode, symbol } from "../ast.ts";
import { limits } from "../bounds.ts";
import { parseElements } from "./answer.ts";
import { parseAtom } from "./atom.ts";
import type { Cursor } from "./cursor.ts";

export function parsePostfix(cursor: Cursor): MathNode {
  return parseMarks(cursor, parseAtom(cursor));
}

/** The node with all marks that stand after it. */
export function parseMarks(cursor: Cursor, operand: MathNode): MathNode {
  let node = operand;
  for (let chain = 0; chain <= limits.chain; chain++) {
    const next = parseMark(cursor, node);
    if (next === undefined) return node;
    node = next;
  }
  return cursor.fail();
}

/** The node with the mark that stands here; undefined when none does. */
function parseMark(cursor: Cursor, node: MathNode): MathNode | undefined {
  const { kind, text } = cursor.peek();
  if (kind === "command" && (text === "degree" || text === "prime")) {
    cursor.next();
    return text === "degree" ? { kind: "degrees", value: node } : primed(node);
  }
  if (kind !== "symbol") return undefined;
  switch (text) {
    case "!":
      cursor.next();
      return call("factorial", node);
    case "%":
      cursor.next();
      return { kind: "percent", value: node };
    case "'":
      cursor.next();
      return primed(node);
    case "_":
      cursor.next();
      return { kind: "apply", name: "_", items: [node, parseScript(cursor)] };
    case "^":
      cursor.next();
      return parsePower(cursor, node);
    default:
      return undefined;
  }
}

function primed(node: MathNode): MathNode {
  if (node.kind === "apply" && node.items.length === 1 && node.name !== "_") return { ...node, name: `${node.name}'` };
  if (node.kind === "symbol") return symbol(`${node.name}'`);
  return { kind: "apply", name: "'", items: [node] };
}

/** After "^": an exponent, or a mark that is written like one: 30^\circ, f^\prime, 5^{th}, A^T, 0^+. */
function parsePower(cursor: Cursor, base: MathNode): MathNode {
  const isGroup = cursor.isSymbol("{");
  const inside = isGroup ? 1 : 0;
  const mark = cursor.peek(inside);
  const after = cursor.peek(inside + 1);
  const isAlone = !isGroup || (after.kind === "symbol" && after.text === "}");
  const isSign = mark.kind === "symbol" && (mark.text === "+" || mark.text === "-" || mark.text === "*");
  const take = (): void => {
    for (let count = isGroup ? 3 : 1; count > 0; count--) cursor.next();
  };
  if (mark.kind === "command" && mark.text === "degree" && isAlone) {
    take();
    return { kind: "degrees", value: base };
  }
  if (mark.kind === "command" && mark.text === "prime" && isAlone) {
    take();
    return primed(base);
  }
  if ((mark.kind === "text" || mark.kind === "letter") && isAlone && /^(?:th|st|nd|rd)$/.test(mark.text)) {
    take();
    return base;
  }
  if (isSign && isAlone && (isGroup || !isExponentAfterSign(cursor))) {
    take();
    return { kind: "apply", name: `^${mark.text}`, items: [base] };
  }
  const exponent = parseScript(cursor);
  // x^2^3 is x to the power of 2^3.
  const isTower = cursor.accept("symbol", "^");
  return { kind: "power", base, exponent: isTower ? cursor.nested(() => parsePower(cursor, exponent)) : exponent };
}

/** x^-1: the sign belongs to a number or letter. */
function isExponentAfterSign(cursor: Cursor): boolean {
  return cursor.is("number", undefined, 1) || cursor.is("letter", undefined, 1) || cursor.isSymbol("(", 1);
}

/** A group, or a single operand. A number is taken whole: x^10 means what a person means by it. */
export function parseScript(cursor: Cursor): MathNode {
  if (cursor.isSymbol("{")) return parseGroup(cursor);
  if (cursor.accept("symbol", "-")) return negated(parseScript(cursor));
  if (cursor.accept("symbol", "+")) return parseScript(cursor);
  const token = cursor.peek();
  if (token.kind === "number") {
    cursor.next();
    return numberNode(token.value, token.isDecimal);
  }
  return cursor.nested(() => parseAtom(cursor, { isScript: true }));
}

/** { ... } as an argument: never a set. {a \over b} and {n \choose k} take all of it. */
export function parseGroup(cursor: Cursor): MathNode {
  cursor.expect("symbol", "{");
  if (cursor.accept("symbol", "}")) return integerNode(1);
  return cursor.bracketed(() => {
    const first = parseElements(cursor);
    const node = parseOver(cursor, first);
    cursor.expect("symbol", "}");
    return node;
  });
}

export function parseOver(cursor: Cursor, above: MathNode): MathNode {
  if (cursor.accept("command", "over")) {
    const below = parseElements(cursor);
    return { kind: "product", items: [above, { kind: "power", base: below, exponent: integerNode(-1) }] };
  }
  if (cursor.accept("command", "choose")) return call("binomial", above, parseElements(cursor));
  return above;
}
