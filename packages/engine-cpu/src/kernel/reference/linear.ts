// Linear layers and rows by number, as their definitions say.
import type { LinearKernels, LowRank } from "../linear.ts";
import type { Floats } from "../memory.ts";
import type { RowKernels } from "../rows.ts";
import { add, at, sum } from "./numbers.ts";

function lowRank(low: LowRank<Floats> | undefined, term: (index: number, low: LowRank<Floats>) => number): number {
  return low === undefined ? 0 : sum(low.rank, (index) => term(index, low));
}

export const referenceLinear: LinearKernels<Floats> = {
  forward: ({ rows, inputs, outputs, out, input, weight, bias, accumulate, low }) => {
    for (let row = 0; row < rows; row++)
      for (let output = 0; output < outputs; output++) {
        const start = (accumulate ? at(out, row * outputs + output) : 0) + (bias ? at(bias, output) : 0);
        const product = sum(inputs, (k) => at(input, row * inputs + k) * at(weight, output * inputs + k));
        const lowProduct = lowRank(low, (r, { rank, narrow, weight }) => {
          return at(narrow, row * rank + r) * at(weight, output * rank + r);
        });
        out[row * outputs + output] = start + product + lowProduct;
      }
  },
  backwardInput: ({ rows, inputs, outputs, inputGradient, outputGradient, weight, accumulate, low }) => {
    for (let row = 0; row < rows; row++)
      for (let k = 0; k < inputs; k++) {
        const start = accumulate ? at(inputGradient, row * inputs + k) : 0;
        const product = sum(outputs, (o) => at(outputGradient, row * outputs + o) * at(weight, o * inputs + k));
        const lowProduct = lowRank(low, (r, { rank, narrow, weight }) => {
          return at(narrow, row * rank + r) * at(weight, r * inputs + k);
        });
        inputGradient[row * inputs + k] = start + product + lowProduct;
      }
  },
  backwardWeight: ({ rows, inputs, outputs, weightGradient, outputGradient, input }) => {
    for (let o = 0; o < outputs; o++)
      for (let k = 0; k < inputs; k++)
        add(
          weightGradient,
          o * inputs + k,
          sum(rows, (row) => at(outputGradient, row * outputs + o) * at(input, row * inputs + k)),
        );
  },
  backwardBias: ({ rows, outputs, biasGradient, outputGradient }) => {
    for (let o = 0; o < outputs; o++)
      add(
        biasGradient,
        o,
        sum(rows, (row) => at(outputGradient, row * outputs + o)),
      );
  },
};

export const referenceRows: RowKernels<Floats> = {
  gather: ({ rows, width, out, table, index }) => {
    for (let row = 0; row < rows; row++)
      for (let k = 0; k < width; k++) out[row * width + k] = at(table, at(index, row) * width + k);
  },
  scatterAdd: ({ rows, width, table, input, index }) => {
    for (let row = 0; row < rows; row++)
      for (let k = 0; k < width; k++) add(table, at(index, row) * width + k, at(input, row * width + k));
  },
};
