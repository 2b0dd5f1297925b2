// Sampling as its definition says: sort, truncate step by step, and walk through what remains.
import type { Floats } from "../memory.ts";
import type { SampleKernels, SampleTokens } from "../sample.ts";
import { at, logSumExp, sum } from "./numbers.ts";

export const referenceSample: SampleKernels<Floats> = {
  tokens: (sample) => {
    const { rows, vocabulary, logits, temperature, tokens, logprob, untempered } = sample;
    for (let row = 0; row < rows; row++) {
      const degree = at(temperature, row) === 0 ? 1 : at(temperature, row);
      const logprobAt = (token: number, divisor: number): number => {
        const scaled = (other: number): number => at(logits, row * vocabulary + other) / divisor;
        return scaled(token) - logSumExp(vocabulary, scaled);
      };
      const token = tokenOf(sample, row, degree);
      tokens[row] = token;
      logprob[row] = logprobAt(token, degree);
      untempered[row] = logprobAt(token, 1);
    }
  },
};

function tokenOf(sample: SampleTokens<Floats>, row: number, degree: number): number {
  const { vocabulary, logits, temperature, noise, truncation } = sample;
  const scaled = (token: number): number => at(logits, row * vocabulary + token) / degree;
  const ids = Array.from({ length: vocabulary }, (_, token) => token);
  const likeliestFirst = ids.toSorted((a, b) => scaled(b) - scaled(a) || a - b);
  const likeliest = at(likeliestFirst, 0);
  if (at(temperature, row) === 0) return likeliest;
  const weight = (token: number): number => Math.exp(scaled(token) - scaled(likeliest));
  const limits = truncation?.subarray(row * 3, row * 3 + 3) ?? [0, 1, 0];
  const kept = keptTokens(likeliestFirst, weight, limits);
  // Whoever is not truncated is walked through by id, the others by likelihood: part of the definition, as it decides the token.
  const isWhole = (limits[0] === 0 || at(limits, 0) >= vocabulary) && limits[1] === 1 && limits[2] === 0;
  const walked = isWhole ? ids : kept;
  const [high, low] = [at(noise, row * 2) >>> 5, at(noise, row * 2 + 1) >>> 6];
  let left = ((high * 2 ** 26 + low) / 2 ** 53) * sum(walked.length, (index) => weight(at(walked, index)));
  for (const token of walked) {
    left -= weight(token);
    if (left < 0) return token;
  }
  return at(walked, walked.length - 1);
}

function keptTokens(
  likeliestFirst: readonly number[],
  weight: (token: number) => number,
  limits: ArrayLike<number>,
): readonly number[] {
  const [topK, topP, minP] = [at(limits, 0), at(limits, 1), at(limits, 2)];
  const likely = topK === 0 ? likeliestFirst : likeliestFirst.slice(0, topK);
  const wanted = topP * likely.reduce((total, token) => total + weight(token), 0);
  let mass = 0;
  const reaching = likely.filter((token) => {
    const isNeeded = topP === 1 || mass === 0 || mass < wanted;
    mass += weight(token);
    return isNeeded;
  });
  return reaching.filter((token) => weight(token) >= minP);
}
