// Conversations to batches, in the order of the mixture. A batch is so many conversations, or as many as fit into so many tokens; what is too
// long is passed over and counted. Loss weight is 1 / trained tokens of the batch: all of them count alike.
import { HoneError, type RolloutId, runsOf, type Sample, type SampleId } from "@hone/core";
import { setImmediate } from "node:timers/promises";
import { fit, type TooLong } from "./fit.ts";
import type { Mixture } from "./mixture.ts";
import type { SftSource } from "./source.ts";
import { TokenCache } from "./token-cache.ts";
import type { TokenRow } from "./tokenise.ts";

export type BatchSize = { readonly conversations: number } | { readonly tokens: number };

export interface BatchOptions {
  readonly mixture: Mixture;
  readonly sources: readonly SftSource[];
  readonly size: BatchSize;
  readonly seqLen: number;
  readonly tooLong: TooLong;
  /** Draws of the whole run; endless unless given. */
  readonly draws: number | undefined;
  readonly cacheBytes: number;
}

export interface SftBatch {
  /** None when the data is over. */
  readonly samples: readonly Sample[];
  readonly tokens: number;
  readonly trainedTokens: number;
  /** Left out since the batch before, and trained without their end. */
  readonly dropped: number;
  readonly cut: number;
  /** Where the mixture stands after this batch. */
  readonly drawn: readonly number[];
  readonly position: number;
}

/** Between two looks at what else there is to do: an engine that waits must not wait for a whole batch. */
const breathMs = 8;

export class Batches {
  readonly #options: BatchOptions;
  readonly #cache: TokenCache;

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#cache = new TokenCache(options.cacheBytes);
  }

  async take(): Promise<SftBatch> {
    const { mixture, seqLen, tooLong, draws = Number.POSITIVE_INFINITY } = this.#options;
    const rows: Labelled[] = [];
    const counts = { tokens: 0, dropped: 0, cut: 0 };
    let breathedAt = performance.now();
    let droppedInRow = 0;
    for (let position = mixture.position; position < draws && !this.#isFull(rows.length, 0); position++) {
      const draw = mixture.peek();
      const source = this.#options.sources[draw.source];
      if (source === undefined) throw new RangeError(`there is no source ${draw.source}`);
      const { row, isCut } = fit(await this.#cache.get(draw, () => source.read(draw.row)), seqLen, tooLong);
      if (row === undefined) {
        counts.dropped++;
        if (++droppedInRow > 2 * mixture.size) throw nothingFits(seqLen);
      } else {
        if (this.#isFull(rows.length, counts.tokens + row.tokens.length)) break;
        droppedInRow = 0;
        rows.push({ row, id: `${draw.source}/${draw.row}/${position}`, label: source.labelOf(draw.row) });
        counts.tokens += row.tokens.length;
        counts.cut += Number(isCut);
      }
      mixture.advance();
      if (performance.now() - breathedAt < breathMs) continue;
      await setImmediate();
      breathedAt = performance.now();
    }
    const trainedTokens = rows.reduce((sum, { row }) => sum + countTrained(row), 0);
    const samples = rows.map((labelled) => sampleOf(labelled, 1 / trainedTokens));
    return { ...counts, samples, trainedTokens, drawn: mixture.drawn, position: mixture.position };
  }

  /** A conversation that is longer than a batch is one. */
  #isFull(conversations: number, tokens: number): boolean {
    const { size } = this.#options;
    return "conversations" in size ? conversations >= size.conversations : conversations > 0 && tokens > size.tokens;
  }
}

export interface Labelled {
  readonly row: TokenRow;
  readonly id: string;
  /** What metrics call it. */
  readonly label: string;
}

export function sampleOf({ row: { tokens, trained }, id, label }: Labelled, weight: number): Sample {
  const { length } = tokens;
  return {
    id: id as SampleId,
    rollout: id as RolloutId,
    agent: "agent",
    env: label,
    branch: 0,
    tokens,
    weight: Float32Array.from(trained, (isTrained) => (isTrained === 1 ? weight : 0)),
    advantage: new Float32Array(length),
    logprob: new Float32Array(length),
    temperature: runsOf(1, length),
    policyVersion: runsOf(0, length),
  };
}

export function countTrained({ trained }: TokenRow): number {
  let count = 0;
  for (const isTrained of trained) count += isTrained;
  return count;
}

/** In the order given, each part with at most `tokens` tokens, or one sample. */
export function inParts(samples: readonly Sample[], tokens: number): Sample[][] {
  const parts: Sample[][] = [];
  let left = 0;
  for (const sample of samples) {
    const last = parts.at(-1);
    if (last === undefined || sample.tokens.length > left) {
      parts.push([sample]);
      left = tokens - sample.tokens.length;
    } else {
      last.push(sample);
      left -= sample.tokens.length;
    }
  }
  return parts;
}

function nothingFits(seqLen: number): HoneError {
  return new HoneError(`No conversation fits into ${seqLen} tokens.`, {
    code: "no-data",
    hint: 'Raise seq_len, or set too_long = "cut".',
  });
}
