// AdamW and sums, as their definitions say; conversions of halves through bits and doubles.
import type { ConvertKernels } from "../convert.ts";
import type { Floats } from "../memory.ts";
import type { OptimizerKernels } from "../optimizer.ts";
import { at, sum } from "./numbers.ts";

export const referenceOptimizer: OptimizerKernels<Floats> = {
  adamw: ({
    weight,
    gradient,
    firstMoment,
    secondMoment,
    learningRate,
    betas,
    epsilon,
    weightDecay,
    step,
    gradientScale,
  }) => {
    const [beta1, beta2] = betas;
    for (let i = 0; i < weight.length; i++) {
      const slope = at(gradient, i) * gradientScale;
      firstMoment[i] = beta1 * at(firstMoment, i) + (1 - beta1) * slope;
      secondMoment[i] = beta2 * at(secondMoment, i) + (1 - beta2) * slope ** 2;
      const mean = at(firstMoment, i) / (1 - beta1 ** step);
      const spread = Math.sqrt(at(secondMoment, i) / (1 - beta2 ** step));
      weight[i] = at(weight, i) * (1 - learningRate * weightDecay) - (learningRate * mean) / (spread + epsilon);
    }
  },
  addScaled: ({ out, input, factor }) => {
    for (let i = 0; i < out.length; i++) out[i] = at(out, i) + factor * at(input, i);
  },
  scale: ({ values, factor }) => {
    for (let i = 0; i < values.length; i++) values[i] = at(values, i) * factor;
  },
  sumOfSquares: (values) => sum(values.length, (i) => at(values, i) ** 2),
  countNonFinite: (values) => sum(values.length, (i) => (Number.isFinite(at(values, i)) ? 0 : 1)),
};

export const referenceConvert: ConvertKernels<Floats> = {
  fromBfloat16: ({ floats, halves }) => widen(floats, halves, { exponentBits: 8, fractionBits: 7 }),
  toBfloat16: ({ floats, halves }) => narrow(floats, halves, { exponentBits: 8, fractionBits: 7 }),
  fromFloat16: ({ floats, halves }) => widen(floats, halves, { exponentBits: 5, fractionBits: 10 }),
  toFloat16: ({ floats, halves }) => narrow(floats, halves, { exponentBits: 5, fractionBits: 10 }),
};

interface Format {
  readonly exponentBits: number;
  readonly fractionBits: number;
}

function widen(floats: Floats, halves: Uint16Array, { exponentBits, fractionBits }: Format): void {
  const [most, bias] = [2 ** exponentBits - 1, 2 ** (exponentBits - 1) - 1];
  for (let i = 0; i < floats.length; i++) {
    const half = at(halves, i);
    const sign = half >= 0x8000 ? -1 : 1;
    const exponent = (half >> fractionBits) & most;
    const fraction = (half % 2 ** fractionBits) / 2 ** fractionBits;
    if (exponent === most) floats[i] = fraction === 0 ? sign * Infinity : NaN;
    else floats[i] = sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
  }
}

function narrow(floats: Floats, halves: Uint16Array, { exponentBits, fractionBits }: Format): void {
  const [most, bias] = [2 ** exponentBits - 1, 2 ** (exponentBits - 1) - 1];
  const infinite = most << fractionBits;
  for (let i = 0; i < floats.length; i++) {
    const value = at(floats, i);
    const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
    const size = Math.abs(value);
    const exponent = Math.max(size === 0 ? -Infinity : Math.floor(Math.log2(size)), 1 - bias);
    // In units of the last place; a carry out of the fraction moves into the exponent by itself.
    const units = roundToEven(size / 2 ** (exponent - fractionBits));
    const bits = units + (exponent + bias - 1) * 2 ** fractionBits;
    if (Number.isNaN(value)) halves[i] = infinite + 2 ** (fractionBits - 1);
    else halves[i] = sign + (size === Infinity ? infinite : Math.min(bits, infinite));
  }
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
