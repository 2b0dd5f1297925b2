// Sample: a token sequence as it is trained on, one per root-to-leaf branch. All columns have the length of `tokens`.
// Invariant: weight is 0 on every token the policy did not sample, and on every token that another sample already trains.
import * as z from "zod";
import { Float32Column, Int32Column } from "./columns.ts";
import { idSchema, type JsonObject, jsonSchema, type RolloutId, type SampleId } from "./data.ts";
import { PolicyVersions } from "./model.ts";
import { type Runs, runsLength, runsSchema } from "./runs.ts";

export interface Sample {
  readonly id: SampleId;
  readonly rollout: RolloutId;
  readonly agent: string;
  readonly env: string;
  /** Which branch of the rollout, from 0. */
  readonly branch: number;
  readonly tokens: Int32Array;
  /** 0 = context: this is the mask. The trainer folds its normaliser in; engines only sum weight x term. */
  readonly weight: Float32Array;
  readonly advantage: Float32Array;
  /** The sampler's, at the sampling temperature; 0 on context. */
  readonly logprob: Float32Array;
  /** Of the reference or teacher policy, where the algorithm asked for it. */
  readonly reference?: Float32Array;
  readonly temperature: Runs<number>;
  readonly policyVersion: Runs<number>;
  readonly component?: Runs<LossComponent>;
  /** Carried, never read. */
  readonly extras?: JsonObject;
}
export type LossComponent = "rl" | "ce" | "kl";

const sampleShape = z.strictObject({
  id: idSchema<"sample">(),
  rollout: idSchema<"rollout">(),
  agent: z.string(),
  env: z.string(),
  branch: z.int().min(0),
  tokens: Int32Column,
  weight: Float32Column,
  advantage: Float32Column,
  logprob: Float32Column,
  reference: Float32Column.exactOptional(),
  temperature: runsSchema(z.number().min(0)),
  policyVersion: PolicyVersions,
  component: runsSchema(z.enum(["rl", "ce", "kl"])).exactOptional(),
  extras: z.record(z.string(), jsonSchema()).exactOptional(),
});

/** JSON on the left, a sample on the right: `z.decode(Sample, json)`, `z.encode(Sample, sample)`. */
export const Sample: z.ZodType<Sample, unknown> = sampleShape.check((context) => {
  const sample: Sample = context.value;
  const expected = sample.tokens.length;
  for (const [name, length] of columnLengths(sample)) {
    if (length === expected) continue;
    const message = `as long as tokens: ${expected}, not ${length}`;
    context.issues.push({ code: "custom", input: sample, path: [name], message });
  }
});

/** Of every column beside `tokens`. Engines refuse a sample whose columns differ in length. */
export function columnLengths(sample: Sample): [name: string, length: number][] {
  const { weight, advantage, logprob, reference, temperature, policyVersion, component } = sample;
  const columns = Object.entries({ weight, advantage, logprob, ...(reference && { reference }) });
  const runs = Object.entries({ temperature, policyVersion, ...(component && { component }) });
  return [
    ...columns.map(([name, column]): [string, number] => [name, column.length]),
    ...runs.map(([name, column]): [string, number] => [name, runsLength(column)]),
  ];
}
