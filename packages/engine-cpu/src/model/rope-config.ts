// Rotary positions as configurations write them: `rope_theta` beside `rope_scaling`, or all in `rope_parameters`. What comes out is the
// turn per position of each pair of components, with any scaling in it. Formulas as published with Llama 3.1 and YaRN.
import { HoneError } from "@hone/core";
import * as z from "zod";

export interface RopeConfig {
  readonly theta: number;
  readonly scaling: RopeScaling;
}
export type RopeScaling =
  | { readonly type: "default" }
  | { readonly type: "linear"; readonly factor: number }
  | {
      readonly type: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      readonly originalTokens: number;
    }
  | {
      readonly type: "yarn";
      readonly factor: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      readonly originalTokens: number;
      /** Cosine and sine are multiplied by it. */
      readonly attentionFactor: number;
      readonly isTruncated: boolean;
    };

const Scaling = z.looseObject({
  type: z.string().optional(),
  rope_type: z.string().optional(),
  rope_theta: z.number().positive().optional(),
  factor: z.number().min(1).optional(),
  low_freq_factor: z.number().positive().optional(),
  high_freq_factor: z.number().positive().optional(),
  original_max_position_embeddings: z.int().min(1).optional(),
  beta_fast: z.number().positive().nullish(),
  beta_slow: z.number().positive().nullish(),
  attention_factor: z.number().positive().nullish(),
  mscale: z.number().nullish(),
  mscale_all_dim: z.number().nullish(),
  truncate: z.boolean().optional(),
});

/** The part of config.json that is read here. */
export const RopeFields = {
  rope_theta: z.number().positive().optional(),
  rope_scaling: Scaling.nullish(),
  rope_parameters: Scaling.nullish(),
  max_position_embeddings: z.int().min(1),
};
interface Fields {
  readonly rope_theta?: number | undefined;
  readonly rope_scaling?: z.output<typeof Scaling> | null | undefined;
  readonly rope_parameters?: z.output<typeof Scaling> | null | undefined;
  readonly max_position_embeddings: number;
}

export function readRope(fields: Fields, where: string): RopeConfig {
  const given = fields.rope_parameters ?? fields.rope_scaling ?? {};
  const theta = given.rope_theta ?? fields.rope_theta ?? 10_000;
  const type = given.rope_type ?? given.type ?? "default";
  const needed = (name: "factor" | "low_freq_factor" | "high_freq_factor"): number => {
    const value = given[name];
    if (value !== undefined) return value;
    throw new HoneError(`${where}: rope scaling ${type} needs ${name}`, { code: "bad-model" });
  };
  const originalTokens = given.original_max_position_embeddings ?? fields.max_position_embeddings;
  switch (type) {
    case "default":
      return { theta, scaling: { type } };
    case "linear":
      return { theta, scaling: { type, factor: needed("factor") } };
    case "llama3": {
      const [low, high] = [needed("low_freq_factor"), needed("high_freq_factor")];
      const bounds = { lowFrequencyFactor: low, highFrequencyFactor: high, originalTokens };
      return { theta, scaling: { type, factor: needed("factor"), ...bounds } };
    }
    case "yarn": {
      const factor = needed("factor");
      const betas = { betaFast: given.beta_fast ?? 32, betaSlow: given.beta_slow ?? 1 };
      const attentionFactor = given.attention_factor ?? yarnFactor(factor, given.mscale, given.mscale_all_dim);
      const isTruncated = given.truncate ?? true;
      return { theta, scaling: { type, factor, ...betas, originalTokens, attentionFactor, isTruncated } };
    }
    default:
      throw new HoneError(`${where}: rope scaling ${JSON.stringify(type)} is not known here`, {
        code: "bad-model",
        hint: "Known are default, linear, llama3 and yarn.",
      });
  }
}

function yarnFactor(factor: number, scale: number | null | undefined, scaleAll: number | null | undefined): number {
  const of = (scale: number): number => (factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1);
  return scale && scaleAll ? of(scale) / of(scaleAll) : of(1);
}
