// What a run would train on, without training: for `--dry-run`. The mask of an example is worth more than any description of it.
import { countTrained } from "./batches.ts";
import { checkEngine } from "./check-engine.ts";
import { openCorpus } from "./corpus.ts";
import { fit } from "./fit.ts";
import { Mixture } from "./mixture.ts";
import type { SftOptions } from "./options.ts";
import type { TokenRow } from "./tokenise.ts";

export interface SftPreview {
  readonly conversations: number;
  readonly heldOut: number;
  /** Of the first conversations, in the order they would be trained on. */
  readonly looked: number;
  readonly meanTokens: number;
  readonly longestTokens: number;
  readonly trainedShare: number;
  readonly dropped: number;
  readonly cut: number;
  /** The first one. */
  readonly example: TokenRow;
}

export type PreviewOptions = Omit<
  SftOptions,
  "directory" | "config" | "resume" | "checkpoint" | "optimizer" | "schedule"
>;

/** So many conversations tell how long they are. */
const mostLooked = 200;

export async function previewSft(options: PreviewOptions): Promise<SftPreview> {
  checkEngine(options);
  await using corpus = await openCorpus(options);
  const mixture = new Mixture(corpus.parts, options.seed);
  const rows: TokenRow[] = [];
  const counts = { dropped: 0, cut: 0 };
  for (let count = 0; count < Math.min(mostLooked, mixture.size); count++) {
    const { source, row: number } = mixture.peek();
    mixture.advance();
    const whole = await corpus.sources[source]?.read(number);
    if (whole === undefined) continue;
    rows.push(whole);
    const { row, isCut } = fit(whole, options.seqLen, options.tooLong);
    if (row === undefined) counts.dropped++;
    counts.cut += Number(isCut);
  }
  const tokens = rows.reduce((sum, row) => sum + row.tokens.length, 0);
  return {
    ...counts,
    conversations: mixture.size,
    heldOut: corpus.heldOut.length,
    looked: rows.length,
    meanTokens: tokens / rows.length,
    longestTokens: Math.max(...rows.map((row) => row.tokens.length)),
    trainedShare: rows.reduce((sum, row) => sum + countTrained(row), 0) / tokens,
    example: rows[0] ?? { tokens: new Int32Array(), trained: new Uint8Array() },
  };
}
