// The learning rate of update n, from 1: a warm-up from 0, then constant, linear or cosine decay to `final` times the rate.
import * as z from "zod";

export const LearningRateSchedule = z.strictObject({
  type: z.enum(["constant", "linear", "cosine"]).default("constant"),
  warmupSteps: z.int().min(0).default(0),
  final: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("what is left of the rate at the last step, for linear and cosine"),
});
export type LearningRateSchedule = z.output<typeof LearningRateSchedule>;

export function learningRateAt(
  step: number,
  rate: number,
  maxSteps: number,
  { type, warmupSteps, final }: LearningRateSchedule,
): number {
  if (step <= warmupSteps) return (rate * step) / (warmupSteps + 1);
  const progress = Math.min(1, (step - warmupSteps - 1) / Math.max(1, maxSteps - warmupSteps - 1));
  switch (type) {
    case "constant":
      return rate;
    case "linear":
      return rate * (1 - (1 - final) * progress);
    case "cosine":
      return rate * (final + ((1 - final) * (1 + Math.cos(Math.PI * progress))) / 2);
  }
}
