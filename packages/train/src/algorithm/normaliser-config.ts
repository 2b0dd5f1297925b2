// Which normaliser an algorithm is used with, as keys of [algorithm]. The normaliser itself is the trainer's
// (sample/normalise.ts). Lengths that are not given come from the limit on replies; without one they are asked for.
import { HoneError } from "@hone/core";
import * as z from "zod";
import type { Normaliser } from "../sample/normalise.ts";

type NormaliserName = Normaliser["type"];

export function normaliserFields(otherwise: NormaliserName) {
  return {
    normaliser: z
      .enum(["token", "sequence", "constant"])
      .default(otherwise)
      .describe("the loss is a mean over tokens, over sequences, or divided by a constant length"),
    normaliserTokens: z
      .int()
      .positive()
      .exactOptional()
      .describe("that constant length; sampling's max_tokens unless given"),
  };
}

export interface NormaliserConfig {
  readonly normaliser: NormaliserName;
  readonly normaliserTokens?: number;
}

/** What an algorithm is told about the rollouts it will see. */
export interface AlgorithmContext {
  /** Of one reply: sampling's `max_tokens`. */
  readonly maxTokens?: number;
}

export function normaliserOf(config: NormaliserConfig, { maxTokens }: AlgorithmContext = {}): Normaliser {
  if (config.normaliser !== "constant") return { type: config.normaliser };
  return { type: "constant", tokens: required(config.normaliserTokens ?? maxTokens, "normaliser_tokens") };
}

/** A length that has a default only where replies are limited. */
export function required(tokens: number | undefined, key: string): number {
  if (tokens !== undefined) return tokens;
  throw new HoneError(`the algorithm needs a length: replies are not limited, and ${key} is not set`, {
    code: "config",
    hint: `Set sampling.max_tokens, or algorithm.${key}.`,
  });
}

/** For `.check` of a schema with `normaliserFields`. */
export function checkNormaliser({ value, issues }: z.core.ParsePayload<NormaliserConfig>): void {
  if (value.normaliserTokens === undefined || value.normaliser === "constant") return;
  const message = `has no effect with normaliser "${value.normaliser}": it belongs to "constant"`;
  issues.push({ code: "custom", input: value.normaliserTokens, path: ["normaliserTokens"], message });
}
