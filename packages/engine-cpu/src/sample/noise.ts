// The noise of sampling: Philox 4x32-10, a generator without state of its own. The bits of a token depend on (seed, sequence, policy
// version, position) alone, so neither batch nor order nor preemption changes them.

/** The upper half of the 64-bit product. */
function highProduct(a: number, b: number): number {
  const lowA = a & 0xffff;
  const highA = a >>> 16;
  const lowB = b & 0xffff;
  const highB = b >>> 16;
  const middle = highA * lowB + ((lowA * lowB) >>> 16);
  return highA * highB + (middle >>> 16) + ((lowA * highB + (middle & 0xffff)) >>> 16);
}

/** Words of the array that `philox` works on: a counter of 128 bits, then a key of 64. */
export const philoxWords = 6;

/** Turns the counter into 128 random bits, in place. */
export function philox(words: Int32Array): void {
  let c0 = words[0] ?? 0;
  let c1 = words[1] ?? 0;
  let c2 = words[2] ?? 0;
  let c3 = words[3] ?? 0;
  let k0 = words[4] ?? 0;
  let k1 = words[5] ?? 0;
  for (let round = 0; round < 10; round++) {
    const high0 = highProduct(0xd2511f53, c0);
    const high1 = highProduct(0xcd9e8d57, c2);
    const low0 = Math.imul(0xd2511f53, c0);
    const low1 = Math.imul(0xcd9e8d57, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

export interface TokenPlace {
  /** Any safe integer. */
  readonly seed: number;
  /** Which of the request's sequences. */
  readonly sequence: number;
  readonly version: number;
  /** Of the token, counted from the prompt's first. */
  readonly position: number;
}

/** The random bits of one token, in the first two of `words`. */
export function tokenNoise({ seed, sequence, version, position }: TokenPlace, words: Int32Array): void {
  words[0] = position;
  words[1] = sequence;
  words[2] = version;
  words[3] = Math.floor(version / 2 ** 32);
  words[4] = seed;
  words[5] = Math.floor(seed / 2 ** 32);
  philox(words);
}
