// The values of sums over a range, integrals, limits and derivatives. Limits, derivatives and endless sums are worked out in fixed point
// whatever the evaluator uses: they need steps far below the precision of a double.
import type { IntegralNode, LimitNode, MathNode, SeriesNode } from "../ast.ts";
import type { Complex } from "./complex.ts";
import { type Evaluator, fixedEvaluator, type Values } from "./evaluate.ts";
import { fixedPoint } from "./fixed-point.ts";
import { derivativeAt, endlessSum, integrate, limitAt, limitAtInfinity } from "./numerical.ts";
import { fail } from "./reals.ts";

const mostTerms = 2000;

export function seriesValue<Real>(evaluator: Evaluator<Real>, node: SeriesNode, values: Values<Real>): Complex<Real> {
  const { functions } = evaluator;
  const { operator, variable, from, to, body } = node;
  const first = evaluator.number(from, values);
  if (!Number.isInteger(first)) return fail();
  if (infiniteBound(to) !== undefined) {
    if (operator !== "sum") return fail();
    return viaFixed(evaluator, body, variable, values, (f) =>
      endlessSum((index) => f(fixedPoint.fromNumber(first + index))),
    );
  }
  const last = Math.round(evaluator.number(to, values));
  if (!(last - first <= mostTerms)) return fail();
  let total = operator === "sum" ? functions.zero : functions.one;
  for (let index = first; index <= last; index++) {
    const term = evaluator.value(body, new Map(values).set(variable, functions.fromInteger(index)));
    total = operator === "sum" ? functions.add(total, term) : functions.multiply(total, term);
  }
  return total;
}

export function integralValue<Real>(
  evaluator: Evaluator<Real>,
  node: IntegralNode,
  values: Values<Real>,
): Complex<Real> {
  const { functions, reals } = evaluator;
  const { variable, from, to, body } = node;
  if (from === undefined || to === undefined) return fail();
  const f = (x: number): number => {
    const value = evaluator.evaluate(body, new Map(values).set(variable, functions.real(reals.fromNumber(x))));
    return value !== undefined && functions.isReal(value) ? reals.toNumber(value.re) : Number.NaN;
  };
  const bound = (end: MathNode): number => infiniteBound(end) ?? evaluator.number(end, values);
  return functions.real(reals.fromNumber(integrate(f, bound(from), bound(to))));
}

export function limitValue<Real>(evaluator: Evaluator<Real>, node: LimitNode, values: Values<Real>): Complex<Real> {
  const { variable, target, side, body } = node;
  const end = infiniteBound(target);
  if (end !== undefined)
    return viaFixed(evaluator, body, variable, values, (f) => limitAtInfinity(f, end > 0 ? 1n : -1n));
  const at = toFixed(evaluator, evaluator.value(target, values));
  return viaFixed(evaluator, body, variable, values, (f) => limitAt(f, at, side));
}

export function derivativeValue<Real>(
  evaluator: Evaluator<Real>,
  { variable, body }: MathNode & { kind: "derivative" },
  values: Values<Real>,
): Complex<Real> {
  const at = toFixed(evaluator, values.get(variable) ?? fail());
  return viaFixed(evaluator, body, variable, values, (f) => derivativeAt(f, at));
}

function toFixed<Real>({ functions, reals }: Evaluator<Real>, value: Complex<Real>): bigint {
  return functions.isReal(value) ? reals.toFixed(value.re) : fail();
}

/** Operates on `body` as a real function of `variable`. */
function viaFixed<Real>(
  { functions, reals, work }: Evaluator<Real>,
  body: MathNode,
  variable: string,
  values: Values<Real>,
  operate: (f: (x: bigint) => bigint) => bigint,
): Complex<Real> {
  const precise = fixedEvaluator(work);
  const fixed = new Map(
    [...values].map(([name, { re, im }]) => [name, { re: reals.toFixed(re), im: reals.toFixed(im) }]),
  );
  const result = operate((x) => {
    const value = precise.value(body, new Map(fixed).set(variable, precise.functions.real(x)));
    return precise.functions.isReal(value) ? value.re : fail();
  });
  return functions.real(reals.fromFixed(result));
}

/** An infinite end of a range; undefined for a finite one. */
function infiniteBound(node: MathNode): number | undefined {
  if (node.kind === "constant" && node.name === "infinity") return Infinity;
  const [first, second] = node.kind === "product" && node.items.length === 2 ? node.items : [];
  const isNegative = first?.kind === "number" && first.value.numerator === -1n;
  return isNegative && second?.kind === "constant" && second.name === "infinity" ? -Infinity : undefined;
}
