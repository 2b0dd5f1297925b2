// A number with a unit. Both sides with units: they have to be of one kind, and sizes count (2 hours, 120 minutes).
// One side without, or with a word that is no unit: only the numbers count.
import { integerNode, type MathNode, numberNode, product, sum } from "../ast.ts";
import { invert, multiply } from "../rational.ts";
import { combine, raiseUnit, readUnit, sameDimensions, type Unit } from "../scan/units.ts";
import { some } from "../tree.ts";
import type { Context } from "./context.ts";

interface Quantity {
  readonly value: MathNode;
  /** undefined: none, or only a label. */
  readonly unit: Unit | undefined;
}

/** undefined when neither side is a quantity: nothing to say here. */
export function sameQuantity(answer: MathNode, gold: MathNode, { same }: Context): boolean | undefined {
  const a = quantityOf(answer);
  const b = quantityOf(gold);
  if (a === undefined && b === undefined) return undefined;
  const first = a ?? { value: answer, unit: undefined };
  const second = b ?? { value: gold, unit: undefined };
  if (first.unit === undefined || second.unit === undefined) return same(first.value, second.value);
  if (!sameDimensions(first.unit, second.unit)) return false;
  return same(scaled(first.value, first.unit), scaled(second.value, second.unit));
}

function scaled(value: MathNode, { size }: Unit): MathNode {
  return product([value, numberNode(size)]);
}

/** More is no quantity that anyone writes. */
const mostWords = 20;

/** A value with words beside it, or several of them in a row: 5 feet 3 inches. */
function quantityOf(node: MathNode): Quantity | undefined {
  if (node.kind === "degrees") return { value: node.value, unit: readUnit("degrees") };
  if (node.kind === "sum") return quantityOfSum(node.items);
  const words = node.kind === "product" ? node.items.filter(isWords).length : 0;
  if (node.kind !== "product" || words === 0 || words > mostWords) return undefined;
  const parts = partsOf(node.items);
  return parts.some(({ value }) => hasText(value)) ? undefined : added(parts);
}

/** The unit of 6 + 2\sqrt{3} cm stands at its end; 2 hours + 30 minutes has one for each part. */
function quantityOfSum(items: readonly MathNode[]): Quantity | undefined {
  const [last, ...before] = items.toReversed();
  const quantity = last && hasText(last) ? quantityOf(last) : undefined;
  if (quantity === undefined) return undefined;
  if (!before.some(hasText)) return { ...quantity, value: sum([...before, quantity.value]) };
  const parts = items.map(quantityOf);
  return parts.includes(undefined) ? undefined : added(parts.flatMap((part) => part ?? []));
}

/** Quantities of one kind in the unit of the last. */
function added(parts: readonly Quantity[]): Quantity | undefined {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1) return last;
  const values: MathNode[] = [];
  for (const { value, unit } of parts) {
    const ratio = unit && last.unit && sameDimensions(unit, last.unit) ? invert(last.unit.size) : undefined;
    if (unit === undefined || ratio === undefined) return undefined;
    values.push(product([value, numberNode(multiply(unit.size, ratio))]));
  }
  return { value: sum(values), unit: last.unit };
}

/** Values, each with the words after it. */
function partsOf(items: readonly MathNode[]): Quantity[] {
  const parts: { values: MathNode[]; unit: Unit | undefined; isLabel: boolean; isClosed: boolean }[] = [];
  for (const item of items) {
    const words = wordUnit(item, parts.at(-1)?.isClosed === true);
    let last = parts.at(-1);
    if (last === undefined || (last.isClosed && words === undefined)) {
      last = { values: [], unit: undefined, isLabel: false, isClosed: false };
      parts.push(last);
    }
    if (words === undefined) last.values.push(item);
    else {
      last.isClosed = true;
      if (words === "label" || last.isLabel) Object.assign(last, { isLabel: true, unit: undefined });
      else last.unit = last.unit === undefined ? words : combine(last.unit, words);
    }
  }
  return parts.map(({ values, unit }) => ({ value: values.length === 0 ? integerNode(1) : product(values), unit }));
}

/** The unit that a factor is; "label" for other words; undefined for a value. After a unit, 1/h and 1/s are units too. */
function wordUnit(node: MathNode, isAfterUnit: boolean): Unit | "label" | undefined {
  if (node.kind === "text") return readUnit(node.text) ?? "label";
  if (node.kind !== "power" || node.exponent.kind !== "number") return undefined;
  const exponent = Number(node.exponent.value.numerator) / Number(node.exponent.value.denominator);
  const name =
    node.base.kind === "text"
      ? node.base.text
      : isAfterUnit && node.base.kind === "symbol"
        ? node.base.name
        : undefined;
  if (name === undefined) return undefined;
  const unit = readUnit(name);
  return unit === undefined ? "label" : raiseUnit(unit, exponent);
}

function isWords(node: MathNode): boolean {
  return node.kind === "text" || (node.kind === "power" && node.base.kind === "text");
}

function hasText(node: MathNode): boolean {
  return some(node, ({ kind }) => kind === "text");
}
