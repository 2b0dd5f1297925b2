// [algorithm] of a training run: one table per algorithm, told apart by `type`. Keys are snake_case in the file.
// `file` names a module with an algorithm of one's own (from-file.ts).
import * as z from "zod";
import { CispoConfig } from "./cispo.ts";
import { DapoConfig } from "./dapo.ts";
import { DrGrpoConfig } from "./dr-grpo.ts";
import { GrpoConfig } from "./grpo.ts";
import { GspoConfig } from "./gspo.ts";
import { MaxRlConfig } from "./max-rl.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";
import { OpdConfig } from "./opd.ts";
import { ReinforcePpConfig } from "./reinforce-pp.ts";
import { RlooConfig } from "./rloo.ts";
import { SftConfig } from "./sft.ts";

const FileConfig = z
  .strictObject({
    type: z.literal("file"),
    path: z.string().min(1).describe("a module whose default export is an algorithm, or a function of its parameters"),
    parameters: z.record(z.string(), z.json()).default({}).describe("what that function is given"),
    ...normaliserFields("token"),
  })
  .check(checkNormaliser);

export const AlgorithmConfig = z.discriminatedUnion("type", [
  GrpoConfig,
  DrGrpoConfig,
  RlooConfig,
  ReinforcePpConfig,
  GspoConfig,
  CispoConfig,
  DapoConfig,
  MaxRlConfig,
  OpdConfig,
  SftConfig,
  FileConfig,
]);
export type AlgorithmConfig = z.output<typeof AlgorithmConfig>;

/** An algorithm of Hone's own. */
export type NamedAlgorithmConfig = Exclude<AlgorithmConfig, { readonly type: "file" }>;

/** Whether a group whose rewards agree teaches it nothing, so that filtering by `hasSignal` makes sense. */
export function comparesRewards({ type }: AlgorithmConfig): boolean {
  return type !== "opd" && type !== "sft";
}
