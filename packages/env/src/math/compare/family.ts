// Families of numbers: pi/2 + k pi for every whole k. Two are equal when each value of the one is a value of the other.
import type { MathNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { doubleEvaluator } from "../evaluate/evaluate.ts";
import { traitsOf } from "../evaluate/traits.ts";
import { unnamed } from "../names.ts";
import type { Context } from "./context.ts";

const parameters: ReadonlySet<string> = new Set(["k", "n", "m"]);

/** undefined when neither side says that a letter stands for every whole number. */
export function sameFamilies(
  answer: readonly MathNode[],
  gold: readonly MathNode[],
  { work }: Context,
): boolean | undefined {
  const a = familyOf(answer, work);
  const b = familyOf(gold, work);
  if (a === undefined && b === undefined) return undefined;
  const first = a ?? { members: answer.map(unnamed), parameter: parameterOf(answer, work) };
  const second = b ?? { members: gold.map(unnamed), parameter: parameterOf(gold, work) };
  if (first.parameter === undefined || second.parameter === undefined) return undefined;
  const values = (range: number, { members, parameter = "" }: typeof first): number[] | undefined =>
    valuesOf(members, parameter, range, work);
  return covers(values(12, first), values(3, second)) && covers(values(12, second), values(3, first));
}

interface Family {
  readonly members: readonly MathNode[];
  readonly parameter: string | undefined;
}

/** The expressions beside k \in Z. */
function familyOf(items: readonly MathNode[], work: Work): Family | undefined {
  const domain = items.find(
    (item) =>
      item.kind === "relation" &&
      item.operators[0] === "in" &&
      item.items[1]?.kind === "number-set" &&
      (item.items[1].name === "integers" || item.items[1].name === "naturals"),
  );
  const [name] = domain?.kind === "relation" ? domain.items : [];
  if (domain === undefined || name?.kind !== "symbol") return undefined;
  const members = items.filter((item) => item !== domain).map(unnamed);
  return { members, parameter: traitsOf(members, work).names.has(name.name) ? name.name : undefined };
}

/** A family whose domain is left out: its one name is a usual one for whole numbers. */
function parameterOf(items: readonly MathNode[], work: Work): string | undefined {
  const [name, ...others] = traitsOf(items.map(unnamed), work).names;
  return name !== undefined && others.length === 0 && parameters.has(name) ? name : undefined;
}

function valuesOf(members: readonly MathNode[], parameter: string, range: number, work: Work): number[] | undefined {
  const doubles = doubleEvaluator(work);
  const values: number[] = [];
  for (const member of members)
    for (let whole = -range; whole <= range; whole++) {
      const value = doubles.evaluate(member, new Map([[parameter, { re: whole, im: 0 }]]));
      if (value === undefined || Math.abs(value.im) > 1e-9) return undefined;
      values.push(value.re);
    }
  return values;
}

function covers(many: readonly number[] | undefined, few: readonly number[] | undefined): boolean {
  if (many === undefined || few === undefined) return false;
  return few.every((x) => many.some((y) => Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x))));
}
