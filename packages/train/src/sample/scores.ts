// Logprobs of another policy for collected samples: what to ask for, and where the answers go. Asking is the caller's.
// Invariant: a token is scored at the temperature it was sampled at; a sample with two temperatures is asked for twice.
import { type Algorithm, HoneError, type Sample, type SampleId } from "@hone/core";
import type { Collected } from "./collect.ts";

type Need = Algorithm["needs"][number];

/** `Sampler.score(samples.map(({ tokens }) => tokens), { temperature, signal })` answers it. */
export interface ScoreRequest {
  readonly env: string;
  /** "reference" is the starting policy; which one the teacher is, the configuration says. */
  readonly need: Need;
  readonly temperature: number;
  readonly samples: readonly Sample[];
}
export interface ScoreAnswer {
  readonly request: ScoreRequest;
  /** Per sample, as long as its tokens. */
  readonly logprobs: readonly Float32Array[];
}

export function scoreRequests({ groups }: Collected, algorithmOf: (env: string) => Algorithm): ScoreRequest[] {
  const requests = new Map<string, ScoreRequest & { readonly samples: Sample[] }>();
  for (const { env, samples } of groups) {
    const need = onlyNeed(algorithmOf(env));
    if (need === undefined) continue;
    for (const sample of samples.flat()) {
      for (const temperature of new Set(sample.temperature.values.map(scoringTemperature))) {
        const key = JSON.stringify([env, temperature]);
        const request = requests.get(key) ?? { env, need, temperature, samples: [] };
        request.samples.push(sample);
        requests.set(key, request);
      }
    }
  }
  return [...requests.values()];
}

/** The samples with their `reference`; 0 on context. */
export function withScores(collected: Collected, answers: readonly ScoreAnswer[]): Collected {
  const columns = new Map<SampleId, Float32Array>();
  for (const { request, logprobs } of answers) {
    for (const [index, sample] of request.samples.entries()) {
      const column = columns.get(sample.id) ?? new Float32Array(sample.tokens.length);
      fill(column, sample, { temperature: request.temperature, logprobs: logprobs[index] });
      columns.set(sample.id, column);
    }
  }
  const scored = (sample: Sample): Sample => {
    const reference = columns.get(sample.id);
    return reference === undefined ? sample : { ...sample, reference };
  };
  const groups = collected.groups.map((group) => {
    return { ...group, samples: group.samples.map((branches) => branches.map(scored)) };
  });
  return { ...collected, groups };
}

interface Scored {
  readonly temperature: number;
  readonly logprobs: Float32Array | undefined;
}

function fill(
  column: Float32Array,
  { id, temperature: runs, weight }: Sample,
  { temperature, logprobs }: Scored,
): void {
  if (logprobs?.length !== column.length) {
    throw new HoneError(`sample ${id} has ${column.length} tokens and was scored on ${logprobs?.length ?? 0}`, {
      code: "bad-score",
      hint: "A reference or teacher gives one logprob for every token of what it is asked about.",
    });
  }
  let at = 0;
  for (const [index, value] of runs.values.entries()) {
    const end = at + (runs.lengths[index] ?? 0);
    if (scoringTemperature(value) !== temperature) at = end;
    for (; at < end; at++) if (weight[at] !== 0) column[at] = logprobs[at] ?? 0;
  }
}

/** A greedy token's logprob is that of temperature 1. */
function scoringTemperature(temperature: number): number {
  return temperature === 0 ? 1 : temperature;
}

/** A sample has one column for this. */
function onlyNeed({ name, needs }: Algorithm): Need | undefined {
  const [need, ...more] = new Set(needs);
  if (more.length === 0) return need;
  throw new HoneError(`the algorithm "${name}" needs ${needs.join(" and ")}, and a sample holds one of them`, {
    code: "unsupported",
  });
}
