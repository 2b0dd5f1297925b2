// On-policy distillation (GKD, arXiv 2306.13649): the policy samples, a teacher scores, and each token is credited with the teacher's
// logprob minus its own. In expectation that lowers the reverse KL to the teacher. Rewards are not read.
import type { Algorithm, Credit } from "@hone/core";
import * as z from "zod";
import { creditColumn } from "./kl.ts";
import { checkLoss, lossFields, lossOf } from "./loss-config.ts";
import { checkNormaliser, normaliserFields } from "./normaliser-config.ts";

export const OpdConfig = z
  .strictObject({
    type: z.literal("opd"),
    maxCredit: z
      .number()
      .positive()
      .exactOptional()
      .describe("bound on the credit of a token, either way; no bound unless given"),
    ...lossFields("importance_sampling"),
    ...normaliserFields("token"),
  })
  .check(checkLoss, checkNormaliser);

export function opd(config: z.output<typeof OpdConfig>): Algorithm {
  const { maxCredit = Number.POSITIVE_INFINITY } = config;
  const bounded = (credit: number): number => Math.min(Math.max(credit, -maxCredit), maxCredit);
  return {
    name: "opd",
    needs: ["teacher"],
    loss: lossOf(config),
    credit: ({ samples }, state) => ({
      credit: samples.map((branches): Credit =>
        branches.map((sample) => creditColumn(sample, (logprob, teacher) => bounded(teacher - logprob))),
      ),
      state,
    }),
  };
}
