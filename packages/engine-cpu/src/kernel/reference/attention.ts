// Attention as its definition says: for each query, a softmax over the keys up to it. Pages hold tokens row by row here.
import type { AttentionKernels, AttentionShape, KeyValuePages } from "../attention.ts";
import { type Floats, roundUp } from "../memory.ts";
import { add, at, logSumExp, sum } from "./numbers.ts";

/** One query of one head: `keys` of them are seen; where its numbers and those of key j begin. */
interface Query {
  readonly row: number;
  readonly head: number;
  readonly keys: number;
  readonly from: number;
  keyAt(key: number): number;
}

function* packedQueries(shape: AttentionShape & { readonly starts: Int32Array }): Generator<Query> {
  const { heads, keyHeads, headWidth, starts } = shape;
  for (let sequence = 0; sequence + 1 < starts.length; sequence++)
    for (let row = at(starts, sequence); row < at(starts, sequence + 1); row++)
      for (let head = 0; head < heads; head++) {
        const first = at(starts, sequence);
        const keyHead = Math.floor((head * keyHeads) / heads);
        const keyAt = (key: number): number => ((first + key) * keyHeads + keyHead) * headWidth;
        yield { row, head, keys: row - first + 1, from: (row * heads + head) * headWidth, keyAt };
      }
}

const dot = (a: Floats, fromA: number, b: Floats, fromB: number, width: number): number =>
  sum(width, (k) => at(a, fromA + k) * at(b, fromB + k));

function softmax(count: number, score: (key: number) => number) {
  const scores = Float64Array.from({ length: count }, (_, key) => score(key));
  const logSum = logSumExp(count, (key) => at(scores, key));
  return { weights: scores.map((value) => Math.exp(value - logSum)), logSum };
}

export const referenceAttention: AttentionKernels<Floats> = {
  forward: (a) => {
    for (const query of packedQueries(a)) {
      const score = (key: number): number =>
        a.scale * dot(a.queries, query.from, a.keys, query.keyAt(key), a.headWidth);
      const { weights, logSum } = softmax(query.keys, score);
      if (a.logSum) a.logSum[query.row * a.heads + query.head] = logSum;
      for (let k = 0; k < a.headWidth; k++)
        a.out[query.from + k] = sum(query.keys, (key) => at(weights, key) * at(a.values, query.keyAt(key) + k));
    }
  },
  backward: (a) => {
    a.keyGradient.fill(0);
    a.valueGradient.fill(0);
    a.queryGradient.fill(0);
    for (const query of packedQueries(a)) {
      const logSum = at(a.logSum, query.row * a.heads + query.head);
      const along = dot(a.out, query.from, a.outputGradient, query.from, a.headWidth);
      for (let key = 0; key < query.keys; key++) {
        const from = query.keyAt(key);
        const probability = Math.exp(a.scale * dot(a.queries, query.from, a.keys, from, a.headWidth) - logSum);
        const slope = probability * a.scale * (dot(a.outputGradient, query.from, a.values, from, a.headWidth) - along);
        for (let k = 0; k < a.headWidth; k++) {
          add(a.valueGradient, from + k, probability * at(a.outputGradient, query.from + k));
          add(a.queryGradient, query.from + k, slope * at(a.keys, from + k));
          add(a.keyGradient, from + k, slope * at(a.queries, query.from + k));
        }
      }
    }
  },
  store: (a) => {
    for (let token = 0; token < a.tokens; token++)
      for (let head = 0; head < a.keyHeads; head++)
        for (let k = 0; k < a.headWidth; k++) {
          const slot = at(a.slots, token) * a.keyHeads + head;
          const from = (token * a.keyHeads + head) * a.headWidth + k;
          a.keyPages[slot * a.headWidth + k] = at(a.keys, from);
          a.valuePages[slot * roundUp(a.headWidth, 16) + k] = at(a.values, from);
        }
  },
  paged: (a) => {
    for (let sequence = 0; sequence + 1 < a.starts.length; sequence++) {
      const [first, end] = [at(a.starts, sequence), at(a.starts, sequence + 1)];
      for (let row = first; row < end; row++)
        for (let head = 0; head < a.heads; head++)
          attendPaged(a, { sequence, row, head, keys: at(a.lengths, sequence) - (end - row) + 1 });
    }
  },
};

interface PagedQuery {
  readonly sequence: number;
  readonly row: number;
  readonly head: number;
  readonly keys: number;
}
type Paged = AttentionShape &
  KeyValuePages<Floats> & {
    readonly out: Floats;
    readonly queries: Floats;
    readonly table: Int32Array;
    readonly tableWidth: number;
  };

function attendPaged(a: Paged, { sequence, row, head, keys }: PagedQuery): void {
  const keyHead = Math.floor((head * a.keyHeads) / a.heads);
  const from = (row * a.heads + head) * a.headWidth;
  const slotOf = (key: number): number => {
    const page = at(a.table, sequence * a.tableWidth + Math.floor(key / a.pageTokens));
    return (page * a.pageTokens + (key % a.pageTokens)) * a.keyHeads + keyHead;
  };
  const score = (key: number): number =>
    a.scale * dot(a.queries, from, a.keyPages, slotOf(key) * a.headWidth, a.headWidth);
  const { weights } = softmax(keys, score);
  const valueWidth = roundUp(a.headWidth, 16);
  for (let k = 0; k < a.headWidth; k++)
    a.out[from + k] = sum(keys, (key) => at(weights, key) * at(a.valuePages, slotOf(key) * valueWidth + k));
}
