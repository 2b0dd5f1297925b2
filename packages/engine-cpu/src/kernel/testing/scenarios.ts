// Each kernel with random shapes: odd sizes, tails of vectors and blocks, empty ones. `reach` scales them.
import { attentionScenarios } from "./attention-scenarios.ts";
import { linearScenarios, rowScenarios } from "./linear-scenarios.ts";
import { lossScenarios } from "./loss-scenarios.ts";
import { sampleScenarios } from "./sample-scenarios.ts";
import { between, numbers, type ScenarioMaker } from "./scenario.ts";

const layerScenarios: Record<string, ScenarioMaker> = {
  "layer.norm": (random, reach) => {
    const shape = { rows: between(random, 0, 150 * reach), width: between(random, 1, 70 * reach) };
    const names = ["input", "out", "outputGradient", "inputGradient"];
    const floats = Object.fromEntries(names.map((name) => [name, numbers(random, shape.rows * shape.width)]));
    const accumulate = random.next() < 0.5;
    return {
      floats: {
        ...floats,
        weight: numbers(random, shape.width),
        weightGradient: numbers(random, shape.width),
        inverse: numbers(random, shape.rows),
      },
      run: (kernels, { float }) => {
        const common = { ...shape, input: float("input"), weight: float("weight"), inverse: float("inverse") };
        kernels.layer.normForward({ ...common, out: float("out"), epsilon: 1e-6 });
        const gradients = { inputGradient: float("inputGradient"), weightGradient: float("weightGradient") };
        kernels.layer.normBackward({ ...common, ...gradients, outputGradient: float("outputGradient"), accumulate });
      },
    };
  },
  "layer.rotate": (random, reach) => {
    const shape = {
      rows: between(random, 0, 40 * reach),
      heads: between(random, 0, 4),
      headWidth: 2 * between(random, 1, 20),
      contextTokens: 50,
    };
    const table = (shape.contextTokens * shape.headWidth) / 2;
    const direction = random.next() < 0.5 ? "forward" : "backward";
    return {
      floats: {
        values: numbers(random, shape.rows * shape.heads * shape.headWidth),
        cosine: numbers(random, table),
        sine: numbers(random, table),
      },
      ints: { positions: Array.from({ length: shape.rows }, () => random.integer(shape.contextTokens)) },
      run: (kernels, { float, int }) =>
        kernels.layer.rotate({
          ...shape,
          values: float("values"),
          cosine: float("cosine"),
          sine: float("sine"),
          positions: int("positions"),
          direction,
        }),
    };
  },
  "layer.swiglu": (random, reach) => {
    const length = between(random, 0, 20_000 * reach);
    const names = ["gate", "up", "out", "outputGradient", "gateGradient", "upGradient"];
    return {
      floats: Object.fromEntries(names.map((name) => [name, numbers(random, length, 4)])),
      run: (kernels, { float }) => {
        const common = { length, gate: float("gate"), up: float("up") };
        kernels.layer.swigluForward({ ...common, out: float("out") });
        const gradients = { gateGradient: float("gateGradient"), upGradient: float("upGradient") };
        kernels.layer.swigluBackward({ ...common, ...gradients, outputGradient: float("outputGradient") });
      },
    };
  },
};

const optimizerScenarios: Record<string, ScenarioMaker> = {
  "optimizer.adamw": (random, reach) => {
    const length = between(random, 0, 20_000 * reach);
    const positive = numbers(random, length).map(Math.abs);
    return {
      floats: {
        weight: numbers(random, length),
        gradient: numbers(random, length),
        firstMoment: numbers(random, length, 0.1),
        secondMoment: positive,
      },
      run: (kernels, { float }) =>
        kernels.optimizer.adamw({
          weight: float("weight"),
          gradient: float("gradient"),
          firstMoment: float("firstMoment"),
          secondMoment: float("secondMoment"),
          learningRate: 0.01,
          betas: [0.9, 0.95],
          epsilon: 1e-8,
          weightDecay: 0.1,
          step: 3,
          gradientScale: 0.5,
        }),
    };
  },
  "optimizer.sums": (random, reach) => {
    const length = between(random, 0, 40_000 * reach);
    return {
      floats: { values: numbers(random, length), out: numbers(random, length), total: new Float32Array(1) },
      run: (kernels, { float }) => {
        kernels.optimizer.scale({ values: float("values"), factor: 0.3 });
        kernels.optimizer.addScaled({ out: float("out"), input: float("values"), factor: -1.5 });
        float("total")[0] = kernels.optimizer.sumOfSquares(float("out"));
      },
    };
  },
};

/** For unit tests: shapes that take milliseconds. */
export const smallReach = 0.3;

/** By name: every kernel but the conversions, which are exact and tested on their own. */
export const scenarios: Readonly<Record<string, ScenarioMaker>> = {
  ...linearScenarios,
  ...layerScenarios,
  ...rowScenarios,
  ...attentionScenarios,
  ...lossScenarios,
  ...sampleScenarios,
  ...optimizerScenarios,
};
