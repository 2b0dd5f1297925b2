// Tables of cosines and sines for every position of the context, computed once in double precision.
import type { Kernels } from "../kernel/kernels.ts";
import type { Floats } from "../kernel/memory.ts";
import type { DecoderConfig } from "./config.ts";
import type { RopeConfig, RopeScaling } from "./rope-config.ts";

export interface RopeTables<F extends Floats = Float32Array> {
  readonly contextTokens: number;
  /** [contextTokens][headWidth / 2] */
  readonly cosine: F;
  readonly sine: F;
}

export function ropeTables<F extends Floats>(
  { memory }: Pick<Kernels<F>, "memory">,
  { rope, headWidth, contextTokens }: Pick<DecoderConfig, "rope" | "headWidth" | "contextTokens">,
): RopeTables<F> {
  const frequencies = ropeFrequencies(rope, headWidth);
  const factor = rope.scaling.type === "yarn" ? rope.scaling.attentionFactor : 1;
  const [cosine, sine] = [
    memory.floats(contextTokens * frequencies.length),
    memory.floats(contextTokens * frequencies.length),
  ];
  for (let position = 0, at = 0; position < contextTokens; position++) {
    for (const frequency of frequencies) {
      cosine[at] = Math.cos(position * frequency) * factor;
      sine[at++] = Math.sin(position * frequency) * factor;
    }
  }
  return { contextTokens, cosine, sine };
}

/** Radians per position, for each pair of components. */
function ropeFrequencies({ theta, scaling }: RopeConfig, headWidth: number): readonly number[] {
  const plain = Array.from({ length: headWidth / 2 }, (_, pair) => theta ** ((-2 * pair) / headWidth));
  switch (scaling.type) {
    case "default":
      return plain;
    case "linear":
      return plain.map((frequency) => frequency / scaling.factor);
    case "llama3":
      return plain.map((frequency) => llama3(frequency, scaling));
    case "yarn":
      return yarn(plain, scaling, { theta, headWidth });
  }
}

/** Long waves are stretched by the factor, short ones stay, between them it fades. */
function llama3(frequency: number, scaling: Extract<RopeScaling, { type: "llama3" }>): number {
  const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalTokens } = scaling;
  const waves = (originalTokens * frequency) / (2 * Math.PI);
  if (waves < low) return frequency / factor;
  if (waves > high) return frequency;
  const smooth = (waves - low) / (high - low);
  return (1 - smooth) * (frequency / factor) + smooth * frequency;
}

function yarn(
  plain: readonly number[],
  scaling: Extract<RopeScaling, { type: "yarn" }>,
  { theta, headWidth }: { readonly theta: number; readonly headWidth: number },
): readonly number[] {
  const { factor, betaFast, betaSlow, originalTokens, isTruncated } = scaling;
  /** The pair of components that turns `turns` times within the original context. */
  const pairOf = (turns: number): number =>
    (headWidth * Math.log(originalTokens / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
  const bounds = [pairOf(betaFast), pairOf(betaSlow)] as const;
  const low = Math.max(isTruncated ? Math.floor(bounds[0]) : bounds[0], 0);
  const high = Math.min(isTruncated ? Math.ceil(bounds[1]) : bounds[1], headWidth - 1);
  const span = high === low ? 0.001 : high - low;
  return plain.map((frequency, pair) => {
    const stretched = Math.min(Math.max((pair - low) / span, 0), 1);
    return (frequency / factor) * stretched + frequency * (1 - stretched);
  });
}
