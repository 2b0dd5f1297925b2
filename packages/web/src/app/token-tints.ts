// Which colour a sampled token gets, by how likely it was, by the credit an update gave it, or by the policy that sampled it; and the legend to it.
import type { TokenColumns } from "./rollout-types.ts";

export type Tint = "probability" | "credit" | "policy";
export interface LegendEntry {
  readonly className: string;
  readonly label: string;
}

/** Everything that is known of a sampled token. */
export interface TokenFacts {
  readonly probability: number;
  readonly logprob: number;
  readonly version: number;
  readonly advantage?: number | undefined;
  readonly weight?: number | undefined;
  readonly reference?: number | undefined;
}

/** Upper bounds of the probability classes, from the least likely. */
const likely = [0.01, 0.1, 0.5, 0.9];
const likelyLabels = ["under 1 %", "1 to 10 %", "10 to 50 %", "50 to 90 %", "over 90 %"];
/** Sizes of credit. Advantages of a group that is normalised lie around 1; others between 0 and 1. */
const sizes = [0.25, 1];
const creditLabels: readonly LegendEntry[] = [
  { className: "n2", label: "−1 and less" },
  { className: "n1", label: "to −0.25" },
  { className: "n0", label: "below 0" },
  { className: "none", label: "none" },
  { className: "g0", label: "above 0" },
  { className: "g1", label: "from 0.25" },
  { className: "g2", label: "1 and more" },
];
const policyColours = 4;

export function tintOf(tint: Tint, token: TokenFacts, versions: readonly number[]): string {
  switch (tint) {
    case "probability":
      return `p${classOf(token.probability, likely)}`;
    case "credit":
      return creditClass(token);
    case "policy":
      return `v${Math.max(0, versions.indexOf(token.version)) % policyColours}`;
  }
}

export function legendOf(tint: Tint, versions: readonly number[]): readonly LegendEntry[] {
  switch (tint) {
    case "probability":
      return likelyLabels.map((label, index) => ({ className: `p${index}`, label }));
    case "credit":
      return creditLabels;
    case "policy":
      return versions.map((version, index) => ({ className: `v${index % policyColours}`, label: `policy ${version}` }));
  }
}

/** A weight of 0 means that the token got no gradient, whatever its advantage. */
function creditClass({ advantage = 0, weight = 0 }: TokenFacts): string {
  if (weight === 0 || advantage === 0) return "none";
  return `${advantage > 0 ? "g" : "n"}${classOf(Math.abs(advantage), sizes)}`;
}

function classOf(value: number, bounds: readonly number[]): number {
  const found = bounds.findIndex((bound) => value < bound);
  return found < 0 ? bounds.length : found;
}

/** Of the sampled tokens, in order. */
export function factsOf({ logprobs, versions, credit }: TokenColumns): readonly TokenFacts[] {
  const versionAt = versions.values.flatMap((value, index) =>
    Array.from<number>({ length: versions.lengths[index] ?? 0 }).fill(value),
  );
  return logprobs.map((logprob, at) => ({
    logprob,
    probability: Math.exp(logprob),
    version: versionAt[at] ?? 0,
    advantage: credit?.advantages[at],
    weight: credit?.weights[at],
    reference: credit?.references?.[at],
  }));
}
