// A model of two small layers for tests of the sampler. What it stores for a token depends on all tokens before it, read through the
// page table, as keys and values do: a wrong slot, table or position, a stale page or one of another policy changes its logits.
import type { StepBatch, StepModel } from "../../model/step.ts";
import type { DecoderWeights, PolicyWeights } from "../../model/weights.ts";
import type { KernelMemory } from "../../kernel/memory.ts";

export interface PagedModelOptions {
  readonly memory: KernelMemory;
  readonly vocabulary: number;
  readonly contextTokens: number;
  readonly pages: number;
  readonly pageTokens: number;
  readonly mostRows: number;
}

/** With counts of the work it was given. */
export interface PagedModel extends StepModel {
  /** Rows computed so far. */
  readonly rows: () => number;
  readonly mostRowsInCall: () => number;
}

function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Two policies with the same version differ by their salt, as two runs do. */
export function policyOf(version: number, salt = 0): PolicyWeights {
  return { version, decoder: { embedding: Float32Array.of(salt) } as unknown as DecoderWeights };
}

const saltOf = ({ version, decoder }: PolicyWeights): number => mix(version + 1, decoder.embedding[0] ?? 0);

/** What the model says after these tokens, computed without pages. */
export function logitsAfter(policy: PolicyWeights, tokens: ArrayLike<number>, vocabulary: number): Float32Array {
  let [first, second] = [0, 0];
  for (let position = 0; position < tokens.length; position++) {
    first = mix(first, firstLayer(policy, tokens[position] ?? 0, position));
    second = mix(second, mix(first, 77));
  }
  return Float32Array.from({ length: vocabulary }, (_, token) => logit(second, token));
}

const firstLayer = (policy: PolicyWeights, token: number, position: number): number =>
  mix(mix(saltOf(policy), token), position);
const logit = (state: number, token: number): number => (mix(state, token) >>> 0) / 2 ** 30 - 2;

export function createPagedModel(options: PagedModelOptions): PagedModel {
  const { memory, vocabulary, contextTokens, pages, pageTokens, mostRows } = options;
  const [firstPages, secondPages] = [new Int32Array(pages * pageTokens), new Int32Array(pages * pageTokens)];
  const logits = memory.floats(mostRows * vocabulary);
  let [rows, mostRowsInCall] = [0, 0];

  const computeRow = (policy: PolicyWeights, batch: StepBatch, sequence: number, row: number): number => {
    const position = batch.positions[row] ?? -1;
    const slotOf = (place: number): number => {
      const page = batch.table[sequence * batch.tableWidth + Math.floor(place / pageTokens)] ?? -1;
      return page * pageTokens + (place % pageTokens);
    };
    const slot = batch.slots[row] ?? -1;
    if (slot !== slotOf(position)) throw new Error(`row ${row} is stored in slot ${slot}, not where its table says`);
    firstPages[slot] = firstLayer(policy, batch.tokens[row] ?? -1, position);
    let first = 0;
    for (let place = 0; place <= position; place++) first = mix(first, firstPages[slotOf(place)] ?? 0);
    secondPages[slot] = mix(first, 77);
    let second = 0;
    for (let place = 0; place <= position; place++) second = mix(second, secondPages[slotOf(place)] ?? 0);
    return second;
  };

  return {
    vocabulary,
    contextTokens,
    pages,
    pageTokens,
    rows: () => rows,
    mostRowsInCall: () => mostRowsInCall,
    logits: (policy, batch) => {
      if (new Set(batch.slots).size !== batch.slots.length) throw new Error("two rows are stored in one slot");
      if (batch.tokens.length === 0) throw new Error("a step without rows");
      rows += batch.tokens.length;
      mostRowsInCall = Math.max(mostRowsInCall, batch.tokens.length);
      const states = new Int32Array(batch.tokens.length);
      // The last sequence first: one that counts on what another stores in the same step finds it missing.
      for (let sequence = batch.lengths.length - 1; sequence >= 0; sequence--) {
        const [start = 0, end = 0] = [batch.starts[sequence], batch.starts[sequence + 1]];
        if (batch.positions[end - 1] !== (batch.lengths[sequence] ?? 0) - 1) throw new Error("a length does not fit");
        for (let row = start; row < end; row++) states[row] = computeRow(policy, batch, sequence, row);
      }
      batch.logitRows.forEach((row, index) => {
        for (let token = 0; token < vocabulary; token++)
          logits[index * vocabulary + token] = logit(states[row] ?? 0, token);
      });
      return logits;
    },
  };
}
