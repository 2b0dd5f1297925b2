// Environments: matrices, systems of equations, functions by cases.
import type { Branch, MathNode, MatrixNode } from "../ast.ts";
import { parseElements } from "./answer.ts";
import type { Cursor } from "./cursor.ts";

const matrices: ReadonlySet<string> = new Set(
  "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix psmallmatrix array tabular".split(" "),
);

/** `name` has been taken with its \begin. `isSystem`: a brace stands before it, so an array is a list of conditions. */
export function parseEnvironment(cursor: Cursor, name: string, isSystem = false): MathNode {
  return cursor.bracketed(() => {
    const rows = parseRows(cursor);
    cursor.expect("finish", name);
    if (rows.length === 0) return cursor.fail();
    if (matrices.has(name) && !isSystem) return { kind: "matrix", rows, isDeterminant: name === "vmatrix" };
    return piecewise(rows) ?? { kind: "list", items: rows.map((row) => joined(row) ?? cursor.fail()) };
  });
}

function parseRows(cursor: Cursor): MathNode[][] {
  const rows: MathNode[][] = [[]];
  for (;;) {
    const token = cursor.peek();
    if (token.kind === "end") return cursor.fail();
    if (token.kind === "finish") break;
    if (token.kind === "symbol" && token.text === "\\\\") {
      cursor.next();
      rows.push([]);
    } else if (token.kind === "symbol" && (token.text === "&" || token.text === "," || token.text === "."))
      cursor.next();
    else rows.at(-1)?.push(parseCell(cursor));
  }
  return rows.filter((row) => row.length > 0);
}

const conditionWord = /^(?:if|when|for|where|otherwise|else|elsewhere|si|in)\b[\s,:]*/i;

/** A cell may begin with "if", and a relation may be cut by the & that aligns it. */
function parseCell(cursor: Cursor): MathNode {
  const token = cursor.peek();
  if (token.kind === "text" && conditionWord.test(token.text)) {
    cursor.next();
    const rest = token.text.replace(conditionWord, "").trim();
    if (/^(?:otherwise|else|elsewhere)/i.test(token.text) || rest !== "")
      return { kind: "text", text: token.text.trim() };
  }
  if (cursor.isSymbol("=")) cursor.next();
  return parseElements(cursor);
}

/** Rows of a value and its condition. */
function piecewise(rows: readonly (readonly MathNode[])[]): MathNode | undefined {
  const branches: Branch[] = [];
  for (const row of rows) {
    const [value, condition] = row;
    if (value === undefined || condition === undefined || row.length !== 2 || !isCondition(condition)) return undefined;
    branches.push({ value, condition: condition.kind === "text" ? undefined : condition });
  }
  return { kind: "piecewise", branches };
}

function isCondition(node: MathNode): boolean {
  if (node.kind === "text") return /^(?:otherwise|else)/i.test(node.text);
  return (
    node.kind === "relation" ||
    node.kind === "logic" ||
    (node.kind === "list" && node.items.every((item) => item.kind === "relation"))
  );
}

/** One row of a system: x & = 1 was cut at the &. */
function joined(row: readonly MathNode[]): MathNode | undefined {
  const [first, second] = row;
  if (row.length === 2 && first !== undefined && second !== undefined)
    return { kind: "relation", operators: ["="], items: [first, second] };
  return row.length === 1 ? first : undefined;
}

/** Rows in brackets: [[1, 2], [3, 4]]. */
export function asMatrix(node: MathNode): MatrixNode | undefined {
  if (node.kind === "matrix") return node;
  if (node.kind !== "tuple") return undefined;
  const rows = node.items.map((item) => (item.kind === "tuple" ? item.items : undefined));
  const [first] = rows;
  const complete = rows.filter((row) => row !== undefined && row.length === first?.length);
  if (first === undefined || complete.length !== rows.length) return undefined;
  return { kind: "matrix", rows: complete as (readonly MathNode[])[], isDeterminant: false };
}
