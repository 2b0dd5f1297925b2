// The policy of the toy engine: a bigram softmax, logits[previous][next]. Pure arithmetic on one table; no state.
// Sampler and trainer share it, so a logprob is log softmax(z / T) for both. At temperature 0 sampling is argmax and logprobs are those of T = 1.
import type { TokenSampling } from "../engine.ts";
import { createRandom } from "../random.ts";

/** Immutable: an update makes a new one. */
export interface ToyPolicy {
  readonly version: number;
  readonly vocabularySize: number;
  /** [previous][next], row by row. */
  readonly logits: Float64Array;
}

/** The base model: small random preferences. */
export function basePolicy(vocabularySize: number, seed: number): ToyPolicy {
  const random = createRandom(seed);
  const logits = Float64Array.from({ length: vocabularySize ** 2 }, () => random.next() - 0.5);
  return { version: 0, vocabularySize, logits };
}

/** Fills `row` with the logprob of every token after `previous`. */
export function fillLogprobs(policy: ToyPolicy, previous: number, temperature: number, row: Float64Array): void {
  const { logits, vocabularySize } = policy;
  const divisor = temperature === 0 ? 1 : temperature;
  const from = previous * vocabularySize;
  let largest = Number.NEGATIVE_INFINITY;
  for (let next = 0; next < vocabularySize; next++) {
    row[next] = logits[from + next]! / divisor;
    largest = Math.max(largest, row[next]!);
  }
  let sum = 0;
  for (let next = 0; next < vocabularySize; next++) sum += Math.exp(row[next]! - largest);
  const shift = largest + Math.log(sum);
  for (let next = 0; next < vocabularySize; next++) row[next] = row[next]! - shift;
}

/** The logprob of each token given the one before it; 0 at position 0. */
export function scoreTokens(policy: ToyPolicy, tokens: Int32Array, temperature: number): Float32Array {
  const row = new Float64Array(policy.vocabularySize);
  const logprobs = new Float32Array(tokens.length);
  for (let position = 1; position < tokens.length; position++) {
    fillLogprobs(policy, tokens[position - 1]!, temperature, row);
    logprobs[position] = row[tokens[position]!]!;
  }
  return logprobs;
}

/** One token, by inverting the distribution at `noise` in [0, 1). */
export function pickToken(row: Float64Array, sampling: TokenSampling, noise: number): number {
  const { temperature, topK, topP, minP } = sampling;
  const isWhole = temperature > 0 && topK === undefined && topP === undefined && minP === undefined;
  const kept = isWhole ? undefined : keptTokens(row, sampling);
  const count = kept?.length ?? row.length;
  let left = noise * (kept?.reduce((sum, token) => sum + Math.exp(row[token]!), 0) ?? 1);
  let token = 0;
  for (let index = 0; index < count && left >= 0; index++) {
    token = kept === undefined ? index : kept[index]!;
    left -= Math.exp(row[token]!);
  }
  return token;
}

/** What truncation leaves, likeliest first. Never empty. */
function keptTokens(row: Float64Array, { temperature, topK, topP, minP }: TokenSampling): number[] {
  const tokens = Array.from(row.keys());
  tokens.sort((a, b) => row[b]! - row[a]! || a - b);
  if (temperature === 0) return tokens.slice(0, 1);
  const atLeast = Math.exp(row[tokens[0]!]!) * (minP ?? 0);
  let mass = 0;
  let count = 0;
  for (const token of topK === undefined || topK < 1 ? tokens : tokens.slice(0, topK)) {
    const probability = Math.exp(row[token]!);
    if (count > 0 && (mass >= (topP ?? 1) || probability < atLeast)) break;
    mass += probability;
    count++;
  }
  return tokens.slice(0, count);
}

/** In [0, 1). Depends on these four alone, so neither arrival order nor concurrency changes a sequence. */
export function noiseAt(seed: number, sequence: number, version: number, position: number): number {
  let hash = mix(0x9e3779b9, seed | 0);
  hash = mix(hash, Math.floor(seed / 2 ** 32) | 0);
  for (const part of [sequence, version, position]) hash = mix(hash, part);
  return (mix(hash, 0x632be5ab) >>> 0) / 2 ** 32;
}

/** The finaliser of MurmurHash3. */
function mix(hash: number, part: number): number {
  let mixed = Math.imul(hash, 0x01000193) ^ part;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
