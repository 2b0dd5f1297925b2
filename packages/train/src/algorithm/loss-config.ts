// The token-level losses that reward algorithms choose from, as flat keys of [algorithm]: `loss` and the parameters of that loss.
// A parameter of another loss is an error: it would be ignored otherwise.
import type { LossSpec } from "@hone/core";
import * as z from "zod";

const lossName = z.enum(["importance_sampling", "ppo", "cispo", "dro", "dppo"]);
type LossName = z.output<typeof lossName>;

/** Bounds of the ratio between new and old probability. Written as ratios, as the losses define them: 0.8, not 0.2. */
export const clipLow = z.number().min(0).max(1);
export const clipHigh = z.number().min(1);

export function lossFields(otherwise: LossName) {
  const change = z.number().min(0).max(1).exactOptional();
  return {
    loss: lossName.default(otherwise).describe("of a token"),
    clipLow: clipLow.exactOptional().describe("ppo, cispo: smallest ratio that counts (0.8; cispo 0)"),
    clipHigh: clipHigh.exactOptional().describe("ppo, cispo: largest ratio that counts (1.2; cispo 4)"),
    beta: z.number().positive().exactOptional().describe("dro: weight of the squared log-ratio (0.05)"),
    maskLow: change.describe("dppo: a probability may fall by this much before its token is dropped (0.2)"),
    maskHigh: change.describe("dppo: a probability may rise by this much before its token is dropped (0.2)"),
    driftWeight: z.number().min(0).exactOptional().describe("dppo: weight of the squared log-ratio (0.001)"),
  };
}

export interface LossConfig {
  readonly loss: LossName;
  readonly clipLow?: number;
  readonly clipHigh?: number;
  readonly beta?: number;
  readonly maskLow?: number;
  readonly maskHigh?: number;
  readonly driftWeight?: number;
}

const parametersOf = {
  importance_sampling: [],
  ppo: ["clipLow", "clipHigh"],
  cispo: ["clipLow", "clipHigh"],
  dro: ["beta"],
  dppo: ["maskLow", "maskHigh", "driftWeight"],
} as const satisfies Record<LossName, readonly (keyof LossConfig)[]>;

export function lossOf(config: LossConfig): LossSpec {
  switch (config.loss) {
    case "importance_sampling":
      return { type: "importance_sampling" };
    case "ppo":
      return { type: "ppo", clipLow: config.clipLow ?? 0.8, clipHigh: config.clipHigh ?? 1.2 };
    case "cispo":
      return { type: "cispo", clipLow: config.clipLow ?? 0, clipHigh: config.clipHigh ?? 4 };
    case "dro":
      return { type: "dro", beta: config.beta ?? 0.05 };
    case "dppo": {
      const { maskLow = 0.2, maskHigh = 0.2, driftWeight = 1e-3 } = config;
      return { type: "dppo", maskLow, maskHigh, klWeight: driftWeight };
    }
  }
}

/** For `.check` of a schema with `lossFields`. */
export function checkLoss({ value, issues }: z.core.ParsePayload<LossConfig>): void {
  const known: readonly string[] = parametersOf[value.loss];
  for (const key of new Set(Object.values(parametersOf).flat())) {
    if (value[key] === undefined || known.includes(key)) continue;
    const message = `has no effect with loss "${value.loss}": it belongs to ${lossesWith(key)}`;
    issues.push({ code: "custom", input: value[key], path: [key], message });
  }
}

function lossesWith(key: string): string {
  const names = Object.entries(parametersOf).filter(([, keys]) => (keys as readonly string[]).includes(key));
  return names.map(([name]) => `"${name}"`).join(" and ");
}
