// Sampling as its definition says: one sequence, one token at a time, the whole sequence computed anew for each. What the sampler
// gives must be this, to the bit.
import { expandRuns, type GenerateRequest } from "@hone/core";
import type { Kernels } from "../../kernel/kernels.ts";
import type { PolicyWeights } from "../../model/weights.ts";
import { philoxWords, tokenNoise } from "../noise.ts";
import type { SampledSequence } from "../sampler.ts";
import { logitsAfter } from "./paged-model.ts";

export interface PlainLoop {
  readonly kernels: Kernels;
  readonly vocabulary: number;
  readonly contextTokens: number;
  readonly request: GenerateRequest;
  /** Which of the request's sequences. */
  readonly index: number;
  /** The policy of each sampled token, counted from 0. */
  readonly policyAt: (at: number) => PolicyWeights;
  readonly textOf: (ids: Int32Array) => string;
}

export function samplePlainly(loop: PlainLoop): SampledSequence {
  const { request, contextTokens, policyAt, textOf } = loop;
  const { prompt, sampling } = request;
  const tokens = [...prompt];
  const columns = { logprobs: [] as number[], untempered: [] as number[], versions: [] as number[] };
  const limit = Math.min(prompt.length + sampling.maxTokens, contextTokens);
  let finish: "stop" | "length" | undefined;
  while (finish === undefined) {
    const policy = policyAt(tokens.length - prompt.length);
    const drawn = drawPlainly(loop, tokens, policy);
    tokens.push(drawn.token);
    columns.logprobs.push(drawn.logprob);
    columns.untempered.push(drawn.untempered);
    columns.versions.push(policy.version);
    const text = textOf(Int32Array.from(tokens.slice(prompt.length)));
    const isStopped =
      sampling.stopTokens.includes(drawn.token) || (sampling.stopStrings ?? []).some((stop) => text.includes(stop));
    if (isStopped) finish = "stop";
    else if (tokens.length === limit) finish = "length";
  }
  return {
    ids: Int32Array.from(tokens.slice(prompt.length)),
    logprobs: Float32Array.from(columns.logprobs),
    untempered: Float32Array.from(columns.untempered),
    policyVersion: runsFrom(columns.versions),
    finish,
  };
}

/** The versions that the tokens of a result carry. */
export function versionsOf(sequence: SampledSequence): readonly number[] {
  return [...expandRuns(sequence.policyVersion)];
}

function runsFrom(versions: readonly number[]): SampledSequence["policyVersion"] {
  const starts = versions.flatMap((version, at) => (version === versions[at - 1] ? [] : [at]));
  return {
    values: starts.map((at) => versions[at] ?? 0),
    lengths: starts.map((at, run) => (starts[run + 1] ?? versions.length) - at),
  };
}

function drawPlainly({ kernels, vocabulary, request, index }: PlainLoop, tokens: number[], policy: PolicyWeights) {
  const { memory } = kernels;
  const { temperature, seed, topK = 0, topP = 1, minP = 0 } = request.sampling;
  const floats = (values: ArrayLike<number>): Float32Array => {
    const array = memory.floats(values.length);
    array.set(values);
    return array;
  };
  const words = new Int32Array(philoxWords);
  tokenNoise({ seed, sequence: index, version: policy.version, position: tokens.length }, words);
  const noise = memory.ints(2);
  noise.set(words.subarray(0, 2));
  const isTruncated = topK > 0 || topP < 1 || minP > 0;
  const arrays = {
    logits: floats(logitsAfter(policy, tokens, vocabulary)),
    temperature: floats([temperature]),
    noise,
    truncation: floats([topK, topP, minP]),
    tokens: memory.ints(1),
    logprob: memory.floats(1),
    untempered: memory.floats(1),
  };
  const { truncation, ...whole } = arrays;
  kernels.sample.tokens({ rows: 1, vocabulary, ...whole, ...(isTruncated && { truncation }) });
  const [token = 0, logprob = 0, untempered = 0] = [arrays.tokens[0], arrays.logprob[0], arrays.untempered[0]];
  for (const array of Object.values(arrays)) memory.release(array);
  return { token, logprob, untempered };
}
