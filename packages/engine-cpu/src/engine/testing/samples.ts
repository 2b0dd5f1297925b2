// Samples for tests of the engine: any tokens, weight 1 on all but the first, advantages of both signs.
import { type RolloutId, runsOf, type Sample, type SampleId } from "@hone/core";

export function tinySample(tokens: Int32Array): Sample {
  const column = (of: (at: number) => number): Float32Array =>
    Float32Array.from(tokens, (_, at) => (at === 0 ? 0 : of(at)));
  return {
    id: "sample" as SampleId,
    rollout: "rollout" as RolloutId,
    agent: "agent",
    env: "test",
    branch: 0,
    tokens,
    weight: column(() => 1),
    advantage: column((at) => (at % 3) - 0.8),
    logprob: column(() => -4),
    temperature: runsOf(1, tokens.length),
    policyVersion: runsOf(0, tokens.length),
  };
}

/** Each of `length` tokens, all different from each other. */
export function tinySamples(count: number, length: number): readonly Sample[] {
  return Array.from({ length: count }, (_, index) =>
    tinySample(Int32Array.from({ length }, (_, at) => (index * 7 + at * (3 + (index % 5))) % 64)),
  );
}
