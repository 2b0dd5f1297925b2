// Reward helpers: how alike two texts are, in [0, 1]. All of them count Unicode code points, as Python's strings do, not UTF-16 units.
// `difflibRatio` is SequenceMatcher(None, a, b).ratio() to the last bit, the autojunk rule included; fixtures from Python hold it to that.
// Invariant: both length columns are zero whenever a search begins.

/** Matching characters in the longest common blocks, twice, over the sum of the lengths. Not symmetric: `b` decides which characters are popular. */
export function difflibRatio(a: string, b: string): number {
  const left = codePoints(a);
  const right = codePoints(b);
  const total = left.length + right.length;
  return total === 0 ? 1 : (2 * matchingCharacters(left, right)) / total;
}

interface Search {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** For each character of `a`: which list of positions it has in `b`; -1 when it is absent there, or popular. */
  readonly listOf: Int32Array;
  /** Positions in `b`, ascending, one list after the other: list n is positions[starts[n] .. starts[n + 1]). */
  readonly positions: Int32Array;
  readonly starts: Int32Array;
  /** [end in b + 1]: length of the match that ends there, for this character of `a` and for the one before it. */
  readonly columns: readonly [Int32Array, Int32Array];
}
type Block = readonly [startA: number, startB: number, size: number];

function matchingCharacters(a: Uint32Array, b: Uint32Array): number {
  const search = createSearch(a, b);
  const open = [0, a.length, 0, b.length];
  let matched = 0;
  while (open.length > 0) {
    const [fromA, toA, fromB, toB] = open.splice(-4) as [number, number, number, number];
    const [startA, startB, size] = longestBlock(search, fromA, toA, fromB, toB);
    if (size === 0) continue;
    matched += size;
    if (fromA < startA && fromB < startB) open.push(fromA, startA, fromB, startB);
    if (startA + size < toA && startB + size < toB) open.push(startA + size, toA, startB + size, toB);
  }
  return matched;
}

function createSearch(a: Uint32Array, b: Uint32Array): Search {
  const idOf = new Map<number, number>();
  const ids = new Int32Array(b.length);
  const counts: number[] = [];
  for (let at = 0; at < b.length; at++) {
    const point = b[at]!;
    let id = idOf.get(point);
    if (id === undefined) {
      id = counts.length;
      idOf.set(point, id);
      counts.push(0);
    }
    ids[at] = id;
    counts[id] = counts[id]! + 1;
  }
  const mostCommon = b.length >= 200 ? Math.floor(b.length / 100) + 1 : Number.POSITIVE_INFINITY;
  const starts = new Int32Array(counts.length + 1);
  for (const [id, count] of counts.entries()) starts[id + 1] = starts[id]! + (count > mostCommon ? 0 : count);
  const positions = new Int32Array(starts[counts.length]!);
  const next = starts.slice();
  for (let at = 0; at < b.length; at++) {
    const id = ids[at]!;
    if (next[id]! < starts[id + 1]!) positions[next[id]!++] = at;
  }
  const listOf = new Int32Array(a.length);
  for (let at = 0; at < a.length; at++) {
    const id = idOf.get(a[at]!);
    listOf[at] = id === undefined || starts[id] === starts[id + 1] ? -1 : id;
  }
  const columns = [new Int32Array(b.length + 1), new Int32Array(b.length + 1)] as const;
  return { a, b, listOf, positions, starts, columns };
}

/** The longest block within the bounds; of equal ones the first in `a`, then the first in `b`. Popular characters only ever extend a block. */
function longestBlock(search: Search, fromA: number, toA: number, fromB: number, toB: number): Block {
  const { a, b, listOf, positions, starts } = search;
  let [row, before] = search.columns;
  let startA = fromA;
  let startB = fromB;
  let size = 0;
  let dirtyFrom = 0;
  let dirtyTo = 0;
  for (let i = fromA; i < toA; i++) {
    const list = listOf[i]!;
    const first = list === -1 ? 0 : firstAtLeast(positions, starts[list]!, starts[list + 1]!, fromB);
    const end = list === -1 ? 0 : starts[list + 1]!;
    let at = first;
    for (; at < end; at++) {
      const j = positions[at]!;
      if (j >= toB) break;
      const length = before[j]! + 1;
      row[j + 1] = length;
      if (length > size) {
        size = length;
        startA = i - length + 1;
        startB = j - length + 1;
      }
    }
    for (let old = dirtyFrom; old < dirtyTo; old++) before[positions[old]! + 1] = 0;
    [row, before] = [before, row];
    dirtyFrom = first;
    dirtyTo = at;
  }
  for (let old = dirtyFrom; old < dirtyTo; old++) before[positions[old]! + 1] = 0;
  while (startA > fromA && startB > fromB && a[startA - 1] === b[startB - 1]) {
    startA -= 1;
    startB -= 1;
    size += 1;
  }
  while (startA + size < toA && startB + size < toB && a[startA + size] === b[startB + size]) size += 1;
  return [startA, startB, size];
}

/** Index of the first position >= `bound` in positions[from .. to), or `to`. */
function firstAtLeast(positions: Int32Array, from: number, to: number, bound: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fewest insertions, deletions and substitutions that turn `a` into `b`. */
export function levenshtein(a: string, b: string): number {
  const [short, long] = [codePoints(a), codePoints(b)].sort((one, other) => one.length - other.length) as [
    Uint32Array,
    Uint32Array,
  ];
  let from = 0;
  while (from < short.length && short[from] === long[from]) from += 1;
  let tail = 0;
  while (tail < short.length - from && short[short.length - 1 - tail] === long[long.length - 1 - tail]) tail += 1;
  const width = short.length - tail - from;
  const row = new Uint32Array(width + 1).map((_zero, column) => column);
  for (let i = from; i < long.length - tail; i++) {
    let diagonal = row[0]!;
    row[0] = diagonal + 1;
    for (let j = 1; j <= width; j++) {
      const above = row[j]!;
      const replaced = diagonal + (long[i] === short[from + j - 1] ? 0 : 1);
      row[j] = Math.min(above + 1, row[j - 1]! + 1, replaced);
      diagonal = above;
    }
  }
  return row[width]!;
}

/**
 * F1 over the words of two answers, as the SQuAD evaluation counts it: lower case, without ASCII punctuation and English articles.
 * Two answers without words agree (1); one without words and one with them do not (0).
 */
export function tokenF1(answer: string, gold: string): number {
  const given = wordsOf(answer);
  const wanted = wordsOf(gold);
  if (given.length === 0 || wanted.length === 0) return given.length === wanted.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  return (2 * common) / (given.length + wanted.length);
}

function wordsOf(text: string): string[] {
  const plain = text.toLowerCase().replaceAll(/[!-/:-@[-`{-~]/g, "");
  return plain.replaceAll(/(?<![\p{L}\p{N}])(?:a|an|the)(?![\p{L}\p{N}])/gu, " ").match(/\S+/g) ?? [];
}

function codePoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at)!;
    if (point > 0xffff) at += 1;
    points[count++] = point;
  }
  return count === text.length ? points : points.subarray(0, count);
}
