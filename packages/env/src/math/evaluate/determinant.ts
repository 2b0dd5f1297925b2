// Determinants of fractions by elimination.
import type { Work } from "../bounds.ts";
import * as rational from "../rational.ts";
import type { Rational } from "../rational.ts";

const largest = 16;

/** undefined when the rows are not square or too many. */
export function determinant(matrix: readonly (readonly Rational[])[], work: Work): Rational | undefined {
  const size = matrix.length;
  if (size === 0 || size > largest || matrix.some((row) => row.length !== size)) return undefined;
  const rows = matrix.map((row) => [...row]);
  let result = rational.one;
  for (let column = 0; column < size; column++) {
    const at = rows.findIndex((row, index) => index >= column && cell(row, column).numerator !== 0n);
    const pivotRow = rows[at];
    const swapped = rows[column];
    if (pivotRow === undefined || swapped === undefined) return rational.zero;
    if (at !== column) {
      rows[at] = swapped;
      rows[column] = pivotRow;
      result = rational.negate(result);
    }
    const pivot = cell(pivotRow, column);
    result = rational.multiply(result, pivot);
    for (const row of rows.slice(column + 1)) eliminate(row, pivotRow, column, work);
  }
  return result;
}

function eliminate(row: Rational[], pivotRow: readonly Rational[], column: number, work: Work): void {
  const inverse = rational.invert(cell(pivotRow, column)) ?? rational.zero;
  const factor = rational.negate(rational.multiply(cell(row, column), inverse));
  for (let index = column; index < row.length; index++) {
    const bits = rational.bitsOf(cell(row, index)) + rational.bitsOf(factor);
    work.spend(1 + (bits >> 8) ** 2);
    row[index] = rational.add(cell(row, index), rational.multiply(factor, cell(pivotRow, index)));
  }
}

function cell(row: readonly Rational[], index: number): Rational {
  return row[index] ?? rational.zero;
}
