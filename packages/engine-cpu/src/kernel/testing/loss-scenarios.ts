// The loss from hidden states and from logits, with vocabularies of one block and of several.
import type { Random } from "@hone/core";
import { between, numbers, type ScenarioMaker } from "./scenario.ts";

function headShape(random: Random, reach: number) {
  return {
    rows: between(random, 0, 9 * reach),
    width: between(random, 0, 40 * reach),
    vocabulary: between(random, 1, 1100 + 1400 * reach),
  };
}

function headArrays(random: Random, { rows, width, vocabulary }: ReturnType<typeof headShape>) {
  const floats = {
    hidden: numbers(random, rows * width),
    weight: numbers(random, vocabulary * width),
    temperature: numbers(random, rows).map((x) => Math.fround(0.9 + x / 2)),
    logprob: numbers(random, rows),
    logSum: numbers(random, rows),
    slope: numbers(random, rows),
    hiddenGradient: numbers(random, rows * width),
    weightGradient: numbers(random, vocabulary * width),
    logits: numbers(random, rows * vocabulary, 4),
    narrow: numbers(random, rows * mostRank),
    narrowWeight: numbers(random, vocabulary * mostRank),
    narrowGradient: numbers(random, rows * mostRank),
    narrowWeightGradient: numbers(random, vocabulary * mostRank),
  };
  return { floats, ints: { targets: Array.from({ length: rows }, () => random.integer(vocabulary)) } };
}

const mostRank = 9;

export const lossScenarios: Record<string, ScenarioMaker> = {
  "loss.fused": (random, reach) => {
    const shape = headShape(random, reach);
    const [isFrozen, hasAdapter, rank] = [random.next() < 0.5, random.next() < 0.5, between(random, 1, mostRank)];
    return {
      ...headArrays(random, shape),
      run: (kernels, { float, int }) => {
        const common = {
          ...shape,
          hidden: float("hidden"),
          weight: float("weight"),
          targets: int("targets"),
          temperature: float("temperature"),
          logSum: float("logSum"),
          ...(hasAdapter && { low: { rank, narrow: float("narrow"), weight: float("narrowWeight") } }),
        };
        kernels.loss.forward({ ...common, logprob: float("logprob") });
        const gradients = {
          hiddenGradient: float("hiddenGradient"),
          ...(!isFrozen && { weightGradient: float("weightGradient") }),
          ...(hasAdapter && {
            lowGradient: {
              narrow: float("narrowGradient"),
              ...(isFrozen && { weight: float("narrowWeightGradient") }),
            },
          }),
        };
        kernels.loss.backward({ ...common, ...gradients, slope: float("slope") });
      },
    };
  },
  "loss.logits": (random, reach) => {
    const shape = headShape(random, reach);
    return {
      ...headArrays(random, shape),
      run: (kernels, { float, int }) => {
        const common = {
          ...shape,
          logits: float("logits"),
          targets: int("targets"),
          temperature: float("temperature"),
          logSum: float("logSum"),
        };
        kernels.loss.logitsLogprob({ ...common, logprob: float("logprob") });
        kernels.loss.logitsBackward({ ...common, slope: float("slope") });
      },
    };
  },
};
