// Seeded randomness. The same seed gives the same numbers on every machine; `fork` gives an independent stream by name.
import { sha256 } from "./hash.ts";

export interface Random {
  /** In [0, 1), 32 bits. */
  next(): number;
  /** A whole number in [0, below). */
  integer(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** A shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
  fork(name: string): Random;
}

/** sfc32, seeded with 128 bits of the seed's SHA-256. */
export function createRandom(seed: number | string): Random {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let isSeeded = false; // on first use: most rollouts never draw a number
  const next = (): number => {
    if (!isSeeded) [a, b, c, d] = sha256(String(seed)) as unknown as [number, number, number, number];
    isSeeded = true;
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    next,
    integer,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("pick needs at least one item");
      return items[integer(items.length)]!;
    },
    shuffle: (items) => {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last--) {
        const other = integer(last + 1);
        [copy[last], copy[other]] = [copy[other]!, copy[last]!];
      }
      return copy;
    },
    // With its length, so that no name can spell a fork of a fork.
    fork: (name) => createRandom(`${seed}/${name.length}/${name}`),
  };
}

/** A 31-bit seed from parts: the noise of a rollout, a turn, a shuffle. Equal parts give equal seeds. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  return sha256(parts.join("\u0000"))[0]! >>> 1;
}
