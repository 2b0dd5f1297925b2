// Limits stop a rollout cleanly before a further call. Turns and tokens are counted here; seconds are a deadline on the rollout's signal.
import type { Call, Limits, Sampling, Stop } from "@hone/core";

/** The first limit that the calls so far have reached, or undefined. */
export function limitReached(calls: readonly Call[], limits: Limits): Stop | undefined {
  const answered = calls.filter((call) => call.node !== null);
  const input = answered.reduce((sum, { usage }) => sum + usage.inputTokens, 0);
  const output = answered.reduce((sum, { usage }) => sum + usage.outputTokens, 0);
  if (answered.length >= (limits.turns ?? Infinity)) return { type: "limit", of: "turns" };
  if (input >= (limits.inputTokens ?? Infinity)) return { type: "limit", of: "inputTokens" };
  if (output >= (limits.outputTokens ?? Infinity)) return { type: "limit", of: "outputTokens" };
  if (input + output >= (limits.totalTokens ?? Infinity)) return { type: "limit", of: "totalTokens" };
  return undefined;
}

/** Sampling for the next call: no longer than what the output limit leaves. */
export function withinLimits(sampling: Sampling, calls: readonly Call[], limits: Limits): Sampling {
  if (limits.outputTokens === undefined) return sampling;
  const left = limits.outputTokens - calls.reduce((sum, { usage }) => sum + usage.outputTokens, 0);
  return sampling.maxTokens !== undefined && sampling.maxTokens <= left ? sampling : { ...sampling, maxTokens: left };
}

/** Later ones win, name by name. */
export function mergeLimits(...all: readonly (Limits | undefined)[]): Limits {
  return Object.assign({}, ...all) as Limits;
}
