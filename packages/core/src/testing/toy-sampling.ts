// Sampling of the toy engine: all sequences of a request advance together, one token at a time, and control is given up between tokens.
// The policy is asked for at every token, which is how "latest" switches at a token boundary and why versions are recorded per token.
import type { GeneratedSequence, GenerateRequest } from "../engine.ts";
import { HoneError } from "../errors.ts";
import { concatRuns, type Runs, runsOf } from "../runs.ts";
import { fillLogprobs, noiseAt, pickToken, type ToyPolicy } from "./toy-policy.ts";
import { checkTokens } from "./toy-trainer.ts";

interface ToyGeneration {
  readonly request: GenerateRequest;
  readonly contextTokens: number;
  readonly policy: () => ToyPolicy;
  readonly signal: AbortSignal;
}

interface Growing {
  readonly ids: number[];
  readonly logprobs: number[];
  readonly versions: Runs<number>[];
  isStopped: boolean;
}

export async function generateTokens(generation: ToyGeneration): Promise<GeneratedSequence[]> {
  const { request, contextTokens, signal } = generation;
  const { prompt, count, sampling } = request;
  const stopTokens = new Set(sampling.stopTokens);
  const limit = Math.min(sampling.maxTokens, contextTokens - prompt.length);
  const sequences = Array.from({ length: count }, (): Growing => {
    return { ids: [], logprobs: [], versions: [], isStopped: false };
  });
  const row = new Float64Array(generation.policy().vocabularySize);
  for (let step = 0; step < limit && sequences.some((sequence) => !sequence.isStopped); step++) {
    const policy = generation.policy();
    for (const [index, sequence] of sequences.entries()) {
      if (sequence.isStopped) continue;
      fillLogprobs(policy, sequence.ids.at(-1) ?? prompt.at(-1)!, sampling.temperature, row);
      const token = pickToken(row, sampling, noiseAt(sampling.seed, index, policy.version, prompt.length + step));
      sequence.ids.push(token);
      sequence.logprobs.push(row[token]!);
      sequence.versions.push(runsOf(policy.version, 1));
      sequence.isStopped = stopTokens.has(token);
    }
    await giveWay(step);
    signal.throwIfAborted();
  }
  return sequences.map(({ ids, logprobs, versions, isStopped }) => ({
    ids: Int32Array.from(ids),
    logprobs: Float32Array.from(logprobs),
    policyVersion: concatRuns(versions),
    finish: isStopped ? "stop" : "length",
  }));
}

/** To other promises after every token; to timers, and with them to whoever cancels, now and then. */
function giveWay(step: number): Promise<void> {
  return step % 256 === 255 ? new Promise((resolve) => setTimeout(resolve)) : Promise.resolve();
}

export function checkRequest(
  { prompt, count, sampling }: GenerateRequest,
  limits: { readonly vocabularySize: number; readonly contextTokens: number },
): void {
  const { maxTokens, temperature, stopStrings = [] } = sampling;
  const refuse = (message: string, code = "bad-request"): never => {
    throw new HoneError(message, { code });
  };
  if (prompt.length === 0) refuse("a prompt has at least one token");
  if (prompt.length >= limits.contextTokens) {
    refuse(`a prompt of ${prompt.length} tokens leaves no room in ${limits.contextTokens}`, "context-length");
  }
  checkTokens(prompt, limits.vocabularySize, "prompt");
  if (!Number.isInteger(count) || count < 1) refuse(`count is ${count}; ask for at least one sequence`);
  if (!Number.isInteger(maxTokens) || maxTokens < 1) refuse(`maxTokens is ${maxTokens}; ask for at least one token`);
  if (!Number.isFinite(temperature) || temperature < 0) refuse(`temperature is ${temperature}; it is 0 or more`);
  if (stopStrings.length > 0) refuse("the toy engine has no text: stop with stopTokens", "unsupported");
}
