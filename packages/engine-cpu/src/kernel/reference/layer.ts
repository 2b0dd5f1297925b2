// Norms, rotary positions and the gated activation, as their definitions say.
import type { LayerKernels } from "../layer.ts";
import type { Floats } from "../memory.ts";
import { add, at, sum } from "./numbers.ts";

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

export const referenceLayer: LayerKernels<Floats> = {
  normForward: ({ rows, width, epsilon, out, inverse, input, weight }) => {
    for (let row = 0; row < rows; row++) {
      const first = row * width;
      const factor = 1 / Math.sqrt(sum(width, (k) => at(input, first + k) ** 2) / width + epsilon);
      if (inverse) inverse[row] = factor;
      for (let k = 0; k < width; k++) out[first + k] = at(input, first + k) * factor * at(weight, k);
    }
  },
  normBackward: ({
    rows,
    width,
    inputGradient,
    weightGradient,
    outputGradient,
    input,
    inverse,
    weight,
    accumulate,
  }) => {
    for (let row = 0; row < rows; row++) {
      const first = row * width;
      const factor = at(inverse, row);
      const along = sum(width, (k) => at(outputGradient, first + k) * at(weight, k) * at(input, first + k));
      for (let k = 0; k < width; k++) {
        const direct = at(outputGradient, first + k) * at(weight, k) * factor;
        const gradient = direct - (at(input, first + k) * along * factor ** 3) / width;
        inputGradient[first + k] = (accumulate ? at(inputGradient, first + k) : 0) + gradient;
        if (weightGradient) add(weightGradient, k, at(outputGradient, first + k) * at(input, first + k) * factor);
      }
    }
  },
  rotate: ({ rows, heads, headWidth, values, cosine, sine, positions, direction }) => {
    const half = headWidth / 2;
    for (let row = 0; row < rows; row++)
      for (let head = 0; head < heads; head++)
        for (let k = 0; k < half; k++) {
          const low = (row * heads + head) * headWidth + k;
          const angle = at(positions, row) * half + k;
          const [x, y] = [at(values, low), at(values, low + half)];
          const turn = at(sine, angle) * (direction === "forward" ? 1 : -1);
          values[low] = x * at(cosine, angle) - y * turn;
          values[low + half] = y * at(cosine, angle) + x * turn;
        }
  },
  swigluForward: ({ length, out, gate, up }) => {
    for (let i = 0; i < length; i++) out[i] = at(gate, i) * sigmoid(at(gate, i)) * at(up, i);
  },
  swigluBackward: ({ length, gateGradient, upGradient, outputGradient, gate, up }) => {
    for (let i = 0; i < length; i++) {
      const s = sigmoid(at(gate, i));
      const [gradient, silu] = [at(outputGradient, i), at(gate, i) * s];
      gateGradient[i] = gradient * at(up, i) * (s + silu * (1 - s));
      upGradient[i] = gradient * silu;
    }
  },
};
