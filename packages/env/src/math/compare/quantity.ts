// A number with a unit. Both sides with units: they have to be of one kind, and sizes count (2 hours, 120 minutes).
// One side without, or with a word that is no unit: only the numbers count.
import { integerNode, type MathNode, numberNode, product, sum } from "../ast.ts";
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
  const words = node.kind === "product" ? node.items.filter(isWords).length : 0;
  if (node.kind !== "product" || words === 0 || words > mostWords) return undefined;
  const parts = partsOf(node.items);
  const [first, ...rest] = parts;
  if (first === undefined || parts.some(({ value }) => hasText(value))) return undefined;
  if (rest.length === 0) return first;
  const { unit } = first;
  if (unit === undefined) return undefined;
  const items: MathNode[] = [];
  for (const part of parts) {
    if (part.unit === undefined || !sameDimensions(part.unit, unit)) return undefined;
    items.push(scaled(part.value, part.unit));
  }
  return { value: sum(items), unit: { ...unit, size: { numerator: 1n, denominator: 1n } } };
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
