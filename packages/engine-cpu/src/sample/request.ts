// What a sampler is asked for, checked before anything runs: what is accepted here can be sampled to its end.
import { type Generation, type GeneratedSequence, type GenerateRequest, HoneError, type PolicyRef } from "@hone/core";

export interface SamplerRequest extends GenerateRequest {
  readonly policy: PolicyRef;
  readonly onDone: (outcome: SamplerOutcome) => void;
}
export type SamplerOutcome = { readonly generation: Generation } | { readonly error: HoneError };

/** A generated sequence with the logprobs at temperature 1 beside those of the sampled distribution. */
export type SampledSequence = GeneratedSequence & { readonly untempered: Float32Array };

export interface RequestLimits {
  readonly vocabulary: number;
  readonly contextTokens: number;
  readonly pages: number;
  readonly pageTokens: number;
}

/** Below it, logits divided by the temperature leave the range of single precision. */
const leastTemperature = 1e-6;

function refuse(message: string, { code = "bad-request", hint }: { code?: string; hint?: string } = {}): never {
  throw new HoneError(message, { code, ...(hint !== undefined && { hint }) });
}

export function checkRequest(request: GenerateRequest, limits: RequestLimits): void {
  const { prompt, count, sampling, priority = 0 } = request;
  const { vocabulary, contextTokens } = limits;
  if (prompt.length === 0) refuse("a prompt has at least one token");
  if (prompt.length >= contextTokens) {
    const message = `a prompt of ${prompt.length} tokens leaves no room in a context of ${contextTokens}`;
    refuse(message, { code: "context-length" });
  }
  checkTokens(prompt, vocabulary, "prompt");
  checkTokens(sampling.stopTokens, vocabulary, "stopTokens");
  checkCount("count", count, 1);
  if (!Number.isFinite(priority)) refuse(`priority is ${priority}; it is a number, higher first`);
  checkSampling(request);
  checkRoom(request, limits);
}

function checkTokens(ids: ArrayLike<number>, vocabulary: number, what: string): void {
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at];
    if (id === undefined || !Number.isInteger(id) || id < 0 || id >= vocabulary)
      refuse(`${what}: token ${id} at position ${at} is outside the vocabulary of ${vocabulary}`);
  }
}

function checkCount(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least)
    refuse(`${name} is ${value}; it is a whole number from ${least} on`);
}

function checkSampling({ sampling }: GenerateRequest): void {
  const { maxTokens, temperature, seed, stopStrings = [], topP = 1, topK = 0, minP = 0 } = sampling;
  checkCount("maxTokens", maxTokens, 1);
  checkCount("topK", topK, 0);
  if (!Number.isFinite(temperature) || temperature < 0) refuse(`temperature is ${temperature}; it is 0 or more`);
  if (temperature > 0 && temperature < leastTemperature) {
    refuse(`temperature is ${temperature}; above 0 it is at least ${leastTemperature}`, {
      hint: "Temperature 0 takes the likeliest token.",
    });
  }
  if (!Number.isSafeInteger(seed)) refuse(`seed is ${seed}; it is a whole number`);
  if (stopStrings.includes("")) refuse("a stop string has at least one character");
  if (!(Math.fround(topP) > 0 && topP <= 1)) refuse(`topP is ${topP}; it is above 0 and at most 1`);
  if (!(minP >= 0 && minP <= 1)) refuse(`minP is ${minP}; it is from 0 to 1`);
}

/** Pages that a sequence needs when nothing else runs. Its last token is never read, so it needs no place. */
function checkRoom({ prompt, sampling }: GenerateRequest, { contextTokens, pages, pageTokens }: RequestLimits): void {
  const most = Math.min(prompt.length + sampling.maxTokens, contextTokens) - 1;
  const needed = Math.ceil(most / pageTokens);
  if (needed <= pages) return;
  refuse(
    `a sequence of up to ${most + 1} tokens needs ${needed} pages of ${pageTokens} tokens; the sampler has ${pages}`,
    {
      code: "out-of-memory",
      hint: "Lower maxTokens, or give the engine more memory for keys and values.",
    },
  );
}

/** What a request fails with: what the engine threw, as it is where it is one of ours. */
export function asHoneError(error: unknown): HoneError {
  if (HoneError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HoneError(`sampling failed: ${message}`, { code: "sampler", cause: error });
}
