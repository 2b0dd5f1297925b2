// A whole answer: elements separated by commas, semicolons, "and", "or".
// x = 1 or x = 2 is a list; x < 1 or x > 2 is one condition; (a, b; c, d) without brackets is a list of tuples.
import type { MathNode, RelationNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { isName } from "../names.ts";
import type { Reading, Token } from "../scan/token.ts";
import { Cursor } from "./cursor.ts";
import { parseElement } from "./relation.ts";

/** Throws a parse failure: see cursor.ts. */
export function parseAnswer(tokens: readonly Token[], reading: Reading, work: Work): MathNode {
  const cursor = new Cursor(tokens, reading, work);
  if (cursor.isSymbol("=") || cursor.isSymbol("~") || cursor.isSymbol(":")) cursor.next();
  const node = parseElements(cursor);
  if (!cursor.is("end")) cursor.fail();
  return node;
}

type Separator = "," | ";" | "and" | "or";

/** Elements up to whatever is no separator. At least one. */
export function parseElements(cursor: Cursor): MathNode {
  const groups: MathNode[][] = [[]];
  const separators = new Set<Separator>();
  for (;;) {
    while (isSeparator(cursor)) cursor.next();
    if (isStop(cursor)) break;
    groups.at(-1)?.push(parseElement(cursor));
    const separator = takeSeparators(cursor);
    if (separator === undefined) break;
    separators.add(separator);
    if (separator === ";") groups.push([]);
  }
  const filled = groups.filter((group) => group.length > 0);
  const [first, ...rest] = filled;
  if (first === undefined) return cursor.fail();
  if (rest.length === 0) return combine(first, separators);
  if (filled.every((group) => group.length === 1)) return { kind: "list", items: filled.flat() };
  const items = filled.map((group): MathNode => ({ kind: "tuple", open: "(", close: ")", items: group }));
  return { kind: "list", items };
}

function isSeparator(cursor: Cursor): boolean {
  return cursor.isSymbol(",") || cursor.isSymbol(";");
}

function isStop(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek();
  return (
    kind === "end" || kind === "finish" || (kind === "symbol" && (text === "}" || text === "&" || text === "\\\\"))
  );
}

/** The separator here; a run of them (", and") counts as its strongest. */
function takeSeparators(cursor: Cursor): Separator | undefined {
  let found: Separator | undefined;
  for (;;) {
    const token = cursor.peek();
    let separator: Separator;
    if (token.kind === "symbol" && (token.text === "," || token.text === ";")) separator = token.text;
    else if (token.kind === "connective") separator = token.text === "or" ? "or" : "and";
    else if (token.kind === "command" && (token.text === "land" || token.text === "lor"))
      separator = token.text === "lor" ? "or" : "and";
    else return found;
    cursor.next();
    if (found === undefined || separator === "or" || separator === "and" || separator === ";") found = separator;
  }
}

function combine(items: readonly MathNode[], separators: ReadonlySet<Separator>): MathNode {
  const [first, ...rest] = items;
  if (first !== undefined && rest.length === 0) return first;
  const isInequality = items.some(
    (item) => item.kind === "relation" && item.operators.some((operator) => operator !== "="),
  );
  const areConditions = items.every((item) => item.kind === "relation" || item.kind === "logic");
  if (areConditions && isInequality && separators.has("or")) return { kind: "logic", operator: "or", items };
  if (areConditions && isInequality && separators.has("and")) return { kind: "logic", operator: "and", items };
  return assignedList(items) ?? { kind: "list", items };
}

/** x = 1, 2, 3 says that x is each of them. */
function assignedList(items: readonly MathNode[]): RelationNode | undefined {
  const [first, ...rest] = items;
  if (first?.kind !== "relation" || first.operators.length !== 1) return undefined;
  const [operator] = first.operators;
  const [name, value] = first.items;
  if (name === undefined || value === undefined || operator !== "=" || !isName(name)) return undefined;
  if (rest.some((item) => item.kind === "relation")) return undefined;
  return { kind: "relation", operators: ["="], items: [name, { kind: "list", items: [value, ...rest] }] };
}
