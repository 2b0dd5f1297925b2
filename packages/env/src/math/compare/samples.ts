// The points at which two expressions are compared: fixed, spread over both signs, small and large, and exact as doubles,
// so that doubles and fixed point see the same point.
import type { Traits } from "../evaluate/traits.ts";

/** A number from 0 to 1 that looks random and depends on its seed alone. */
export function noise(seed: number): number {
  let bits = Math.imul(seed + 0x9e3779b9, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  bits ^= bits >>> 16;
  return (bits >>> 0) / 4294967296;
}

/** The value of each name at the sample with this index. */
export function samplePoint(traits: Traits, index: number): Map<string, number> {
  const point = new Map<string, number>();
  let position = 0;
  for (const name of traits.names) {
    const random = noise(index * 131 + position++ * 17 + 7);
    point.set(name, traits.wholeNames.has(name) ? 2 + Math.floor(random * 9) : realSample(index, random));
  }
  return point;
}

/** Ranges for the samples in turn: near zero first, where functions differ most, then far enough for |x + 9| and sqrt(x - 20). */
const ranges = [
  [0.35, 1.65],
  [0.1, 0.9],
  [-2.1, -0.4],
  [1.2, 3.5],
  [4, 24],
  [-11, -3],
  [-60, -12],
  [25, 70],
] as const;

function realSample(index: number, random: number): number {
  const [low, high] = ranges[index % ranges.length] ?? [1, 2];
  return Math.round((low + (high - low) * random) * 4096) / 4096;
}

/** Field elements for the names. */
export function fieldPoint(names: Iterable<string>, index: number): Map<string, bigint> {
  const point = new Map<string, bigint>();
  let position = 0;
  for (const name of names) {
    const high = BigInt(Math.floor(noise(index * 977 + position * 31 + 5) * 4294967296));
    const low = BigInt(Math.floor(noise(index * 613 + position * 47 + 11) * 4294967296));
    point.set(name, (high << 31n) + low + 2n);
    position++;
  }
  return point;
}
