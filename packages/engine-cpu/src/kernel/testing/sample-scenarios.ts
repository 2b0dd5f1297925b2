// Sampling from rows at all temperatures, whole and truncated, with vocabularies of one block and of several.
import type { Random } from "@hone/core";
import { between, numbers, type ScenarioMaker } from "./scenario.ts";

/** Some rows greedy, the others from cold to hot. */
function temperatures(random: Random, rows: number): Float32Array {
  return numbers(random, rows).map((x) => (x < -0.6 ? 0 : Math.fround(1 + x)));
}

/** Some limits of each row off. */
function truncations(random: Random, rows: number, vocabulary: number): Float32Array {
  const limits = Array.from({ length: rows }, () => [
    random.next() < 0.5 ? 0 : between(random, 1, vocabulary + 1),
    random.next() < 0.5 ? 1 : 0.05 + 0.9 * random.next(),
    random.next() < 0.5 ? 0 : 0.5 * random.next(),
  ]);
  return Float32Array.from(limits.flat());
}

function samplingOf(isTruncated: boolean): ScenarioMaker {
  return (random, reach) => {
    const shape = { rows: between(random, 0, 20 * reach), vocabulary: between(random, 1, 1100 + 1400 * reach) };
    const { rows, vocabulary } = shape;
    return {
      floats: {
        logits: numbers(random, rows * vocabulary, 4),
        temperature: temperatures(random, rows),
        truncation: truncations(random, rows, vocabulary),
        logprob: numbers(random, rows),
        untempered: numbers(random, rows),
        chosen: numbers(random, rows),
      },
      ints: {
        noise: Array.from({ length: rows * 2 }, () => random.integer(2 ** 32) | 0),
        tokens: Array.from({ length: rows }, () => -1),
      },
      run: (kernels, { float, int }) => {
        kernels.sample.tokens({
          ...shape,
          logits: float("logits"),
          temperature: float("temperature"),
          noise: int("noise"),
          ...(isTruncated && { truncation: float("truncation") }),
          tokens: int("tokens"),
          logprob: float("logprob"),
          untempered: float("untempered"),
        });
        float("chosen").set(int("tokens").subarray(0, rows));
      },
    };
  };
}

export const sampleScenarios: Record<string, ScenarioMaker> = {
  "sample.tokens": samplingOf(false),
  "sample.truncated": samplingOf(true),
};
