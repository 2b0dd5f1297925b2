// Matrices: arithmetic with them is carried out, then they are compared cell by cell. A column or a row may be written as a tuple.
import { type MathNode, type MatrixNode, product, sum } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { asMatrix } from "../parse/environment.ts";
import type { Context } from "./context.ts";

/** A matrix, or a sum or product with one in it. */
export function hasMatrix(node: MathNode): boolean {
  if (node.kind === "matrix") return !node.isDeterminant;
  if (node.kind === "sum" || node.kind === "product") return node.items.some(hasMatrix);
  return node.kind === "power" && hasMatrix(node.base);
}

export function sameMatrix(answer: MathNode, gold: MathNode, { same, work }: Context): boolean {
  const a = folded(answer, work);
  const b = folded(gold, work);
  if (a === undefined || b === undefined)
    return sameVector(a, gold, same) || sameVector(b, answer, (x, y) => same(y, x));
  return (
    a.rows.length === b.rows.length &&
    a.rows.every((row, index) => {
      const other = b.rows[index] ?? [];
      return row.length === other.length && row.every((cell, column) => same(cell, other[column] ?? cell));
    })
  );
}

/** One column or row against a tuple. */
function sameVector(
  matrix: MatrixNode | undefined,
  other: MathNode,
  same: (a: MathNode, b: MathNode) => boolean,
): boolean {
  if (matrix === undefined || other.kind !== "tuple") return false;
  const isVector = matrix.rows.length === 1 || matrix.rows.every((row) => row.length === 1);
  const cells = matrix.rows.flat();
  return (
    isVector &&
    cells.length === other.items.length &&
    cells.every((cell, index) => same(cell, other.items[index] ?? cell))
  );
}

/** The matrix that an expression comes to. */
function folded(node: MathNode, work: Work): MatrixNode | undefined {
  if (node.kind === "matrix") return node.isDeterminant ? undefined : node;
  if (node.kind === "tuple") return asMatrix(node);
  if (node.kind === "sum") return node.items.map((item) => folded(item, work)).reduce((a, b) => a && b && added(a, b));
  if (node.kind === "product") return foldedProduct(node.items, work);
  return node.kind === "power" ? foldedPower(node.base, node.exponent, work) : undefined;
}

function added(a: MatrixNode, b: MatrixNode): MatrixNode | undefined {
  if (a.rows.length !== b.rows.length || a.rows.some((row, index) => row.length !== b.rows[index]?.length))
    return undefined;
  return {
    ...a,
    rows: a.rows.map((row, index) => row.map((cell, column) => sum([cell, b.rows[index]?.[column] ?? cell]))),
  };
}

function foldedProduct(items: readonly MathNode[], work: Work): MatrixNode | undefined {
  const scalars = items.filter((item) => !hasMatrix(item));
  let result: MatrixNode | undefined;
  for (const item of items) {
    if (!hasMatrix(item)) continue;
    const matrix = folded(item, work);
    result = matrix && (result === undefined ? matrix : multiplied(result, matrix, work));
    if (result === undefined) return undefined;
  }
  if (result === undefined || scalars.length === 0) return result;
  return { ...result, rows: result.rows.map((row) => row.map((cell) => product([...scalars, cell]))) };
}

function multiplied(a: MatrixNode, b: MatrixNode, work: Work): MatrixNode | undefined {
  const width = b.rows[0]?.length ?? 0;
  if (a.rows.some((row) => row.length !== b.rows.length) || b.rows.some((row) => row.length !== width))
    return undefined;
  work.spend(a.rows.length * b.rows.length * width);
  const columns = Array.from({ length: width }, (_, column) => b.rows.map((row) => row[column] ?? row[0]));
  const rows = a.rows.map((row) =>
    columns.map((column) => sum(row.map((cell, index) => product([cell, column[index] ?? cell])))),
  );
  return { kind: "matrix", rows, isDeterminant: false };
}

const highestPower = 4;

/** A^2 by multiplying, A^T by turning; other powers stay as they are. */
function foldedPower(base: MathNode, exponent: MathNode, work: Work): MatrixNode | undefined {
  const matrix = folded(base, work);
  if (matrix === undefined) return undefined;
  if (exponent.kind === "symbol" && exponent.name === "T") return transposed(matrix);
  if (exponent.kind !== "number" || exponent.value.denominator !== 1n) return undefined;
  const times = Number(exponent.value.numerator);
  if (times < 1 || times > highestPower) return undefined;
  let result: MatrixNode | undefined = matrix;
  for (let count = 1; count < times; count++) result = result && multiplied(result, matrix, work);
  return result;
}

function transposed(matrix: MatrixNode): MatrixNode {
  const [first = []] = matrix.rows;
  return { ...matrix, rows: first.map((cell, column) => matrix.rows.map((row) => row[column] ?? cell)) };
}
