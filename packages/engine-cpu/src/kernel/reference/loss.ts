// log softmax of logits at a temperature and its gradients, as their definitions say.
import type { FusedLoss, LossKernels } from "../loss.ts";
import type { Floats } from "../memory.ts";
import { referenceLinear } from "./linear.ts";
import { at, logSumExp } from "./numbers.ts";

export const referenceLoss: LossKernels<Floats> = {
  forward: (loss) => {
    referenceLoss.logitsLogprob({ ...loss, logits: logitsOf(loss) });
  },
  backward: (loss) => {
    const { rows, width, vocabulary, hidden, weight, hiddenGradient, weightGradient, low, lowGradient } = loss;
    const logits = logitsOf(loss);
    referenceLoss.logitsBackward({ ...loss, logits });
    const shape = { rows, inputs: width, outputs: vocabulary, outputGradient: logits };
    referenceLinear.backwardInput({ ...shape, inputGradient: hiddenGradient, weight });
    if (weightGradient) referenceLinear.backwardWeight({ ...shape, weightGradient, input: hidden });
    if (low === undefined || lowGradient === undefined) return;
    const narrow = { ...shape, inputs: low.rank };
    referenceLinear.backwardInput({ ...narrow, inputGradient: lowGradient.narrow, weight: low.weight });
    if (lowGradient.weight) {
      referenceLinear.backwardWeight({ ...narrow, weightGradient: lowGradient.weight, input: low.narrow });
    }
  },
  logitsLogprob: ({ rows, vocabulary, logits, targets, temperature, logprob, logSum }) => {
    for (let row = 0; row < rows; row++) {
      const scaled = (token: number): number => at(logits, row * vocabulary + token) / at(temperature, row);
      const total = logSumExp(vocabulary, scaled);
      logprob[row] = scaled(at(targets, row)) - total;
      if (logSum) logSum[row] = total;
    }
  },
  logitsBackward: ({ rows, vocabulary, logits, targets, temperature, logSum, slope }) => {
    for (let row = 0; row < rows; row++)
      for (let token = 0; token < vocabulary; token++) {
        const index = row * vocabulary + token;
        const probability = Math.exp(at(logits, index) / at(temperature, row) - at(logSum, row));
        const isTarget = token === at(targets, row) ? 1 : 0;
        logits[index] = (at(slope, row) / at(temperature, row)) * (isTarget - probability);
      }
  },
};

function logitsOf({ rows, width, vocabulary, hidden, weight, low }: FusedLoss<Floats>): Float64Array {
  const out = new Float64Array(rows * vocabulary);
  const head = { rows, inputs: width, outputs: vocabulary, out, input: hidden, weight };
  referenceLinear.forward({ ...head, ...(low && { low }) });
  return out;
}
