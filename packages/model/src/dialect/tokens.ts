// Token ids and logprobs of a reply, in vLLM's fields: `prompt_token_ids`, the choice's `token_ids`, its `logprobs`.
// They are log softmax(z / T) only when vLLM runs with `--logprobs-mode processed_logprobs`; the raw mode leaves T out.
import { type CompletionTokens, runsOf } from "@hone/core";
import { invalid } from "./dialect.ts";

/** Undefined when the server gave none; an error when what it gave does not fit together. */
export function tokensFrom(prompt: unknown, ids: unknown, logprobs: unknown): CompletionTokens | undefined {
  if (!Array.isArray(prompt) || !Array.isArray(ids) || !Array.isArray(logprobs)) return undefined;
  if (ids.length !== logprobs.length) {
    throw invalid(`the server gave ${ids.length} token ids and ${logprobs.length} logprobs`);
  }
  return {
    prompt: idColumn(prompt),
    ids: idColumn(ids),
    logprobs: logprobColumn(logprobs),
    policyVersion: runsOf(0, ids.length),
  };
}

function idColumn(values: readonly unknown[]): Int32Array {
  const column = new Int32Array(values.length);
  for (let index = 0; index < column.length; index++) {
    const value = values[index] as number;
    column[index] = value;
    // Catches fractions, negatives, overflow and everything that is not a number, in one comparison.
    if (column[index] !== value || value < 0) throw invalid(`token id ${index} is not a whole number of at least 0`);
  }
  return column;
}

function logprobColumn(values: readonly unknown[]): Float32Array {
  const column = new Float32Array(values.length);
  for (let index = 0; index < column.length; index++) {
    const value = values[index];
    if (typeof value !== "number" || !(value <= 1e-3)) throw invalid(`logprob ${index} is not a number of at most 0`);
    column[index] = Math.min(0, value);
  }
  return column;
}
