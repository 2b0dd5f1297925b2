// The loss on conversations that are not trained on: the mean over all their trained tokens, of everything and per file. The same
// conversations every time, rendered once.
import type { Sample, Trainer } from "@hone/core";
import type { MetricRow } from "@hone/store";
import { countTrained, inParts, type Labelled, sampleOf } from "./batches.ts";
import { fit, type TooLong } from "./fit.ts";
import type { SftSource } from "./source.ts";

/** What the rows in evals.jsonl call it. */
const heldOutName = "held-out";

export interface HeldOutRow {
  readonly source: SftSource;
  readonly row: number;
}

export interface HeldOutOptions {
  readonly rows: readonly HeldOutRow[];
  readonly seqLen: number;
  readonly tooLong: TooLong;
  readonly partTokens: number;
}

export class HeldOut {
  readonly #options: HeldOutOptions;
  #samples: Promise<readonly Sample[]> | undefined;

  constructor(options: HeldOutOptions) {
    this.#options = options;
  }

  /** The row of evals.jsonl; undefined when nothing is held out. */
  async measure(trainer: Trainer, step: number): Promise<MetricRow | undefined> {
    const started = performance.now();
    this.#samples ??= render(this.#options);
    const samples = await this.#samples;
    if (samples.length === 0) return undefined;
    const sums = new Map<string, Sum>();
    for (const part of inParts(samples, this.#options.partTokens)) {
      const { logprobs } = await trainer.forwardBackward(part, { type: "none" });
      for (const [index, sample] of part.entries()) add(sums, sample, logprobs[index] ?? new Float32Array());
    }
    const all = [...sums.values()].reduce((a, b) => ({ loss: a.loss + b.loss, tokens: a.tokens + b.tokens }));
    const byFile = [...sums].map(([label, sum]) => [`loss/${label}`, mean(sum)] as const);
    return {
      step,
      env: heldOutName,
      "loss/mean": mean(all),
      ...(byFile.length > 1 ? Object.fromEntries(byFile) : {}),
      n: samples.length,
      "sample/trained_tokens": all.tokens,
      "update/seconds": (performance.now() - started) / 1000,
    };
  }
}

interface Sum {
  readonly loss: number;
  readonly tokens: number;
}

function add(sums: Map<string, Sum>, { env, weight }: Sample, logprobs: Float32Array): void {
  let { loss, tokens } = sums.get(env) ?? { loss: 0, tokens: 0 };
  for (const [at, isTrained] of weight.entries()) {
    if (isTrained === 0) continue;
    loss -= logprobs[at] ?? 0;
    tokens++;
  }
  sums.set(env, { loss, tokens });
}

function mean({ loss, tokens }: Sum): number {
  return tokens === 0 ? 0 : loss / tokens;
}

async function render({ rows, seqLen, tooLong }: HeldOutOptions): Promise<Sample[]> {
  const fitted: Labelled[] = [];
  for (const [index, { source, row: number }] of rows.entries()) {
    const { row } = fit(await source.read(number), seqLen, tooLong);
    if (row !== undefined && countTrained(row) > 0) {
      fitted.push({ row, id: `held-out/${index}`, label: source.labelOf(number) });
    }
  }
  return fitted.map((labelled) => sampleOf(labelled, 1));
}
