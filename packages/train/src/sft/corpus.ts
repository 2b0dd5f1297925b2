// All data of a run: every [[data]] opened, what is held out taken away, the rest mixed. The same files give the same corpus; other files are
// known by another fingerprint, because a run cannot go on in an order that no longer exists.
import { createRandom, sha256Hex } from "@hone/core";
import { openFiles } from "./file-source.ts";
import type { HeldOutRow } from "./held-out.ts";
import type { MixturePart } from "./mixture.ts";
import type { SftData, SftOptions } from "./options.ts";
import { openRollouts } from "./rollout-source.ts";
import type { OpenedSource, SftSource } from "./source.ts";

export interface Corpus extends AsyncDisposable {
  readonly sources: readonly SftSource[];
  /** As the mixture takes them, in the order of `sources`. */
  readonly parts: readonly MixturePart[];
  readonly heldOut: readonly HeldOutRow[];
  readonly fingerprint: string;
}

export type CorpusOptions = Pick<SftOptions, "data" | "evaluation" | "cwd" | "renderer" | "trainOn" | "seed">;

export async function openCorpus(options: CorpusOptions): Promise<Corpus> {
  const { data, evaluation, cwd, renderer, trainOn } = options;
  const opened: OpenedSource[] = [];
  const heldOutFiles: OpenedSource[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all([...opened, ...heldOutFiles].map(({ source }) => source[Symbol.asyncDispose]()));
  };
  try {
    for (const one of data) opened.push(await open(one, options));
    if (evaluation.paths.length > 0) {
      heldOutFiles.push(await openFiles({ paths: evaluation.paths, cwd, renderer, trainOn }));
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  const split = opened.map(({ source }) => splitOf(source, evaluation.fraction));
  const heldOut = [
    ...heldOutFiles.flatMap(({ source }) => allOf(source)),
    ...split.flatMap((rows, index) => rowsOf(opened[index], rows.heldOut)),
  ];
  const known = [...opened, ...heldOutFiles].map(({ fingerprint, weight }) => `${fingerprint} ${weight ?? "by size"}`);
  return {
    sources: opened.map(({ source }) => source),
    parts: opened.map(({ source, weight }, index) => ({
      name: source.name,
      weight,
      rows: split[index]?.trained ?? new Uint32Array(),
    })),
    heldOut: someOf(heldOut, options),
    fingerprint: sha256Hex([...known, evaluation.fraction].join("\n")).slice(0, 16),
    [Symbol.asyncDispose]: dispose,
  };
}

function open(data: SftData, { cwd, renderer, trainOn }: CorpusOptions): Promise<OpenedSource> {
  return "paths" in data
    ? openFiles({ ...data, cwd, renderer, trainOn })
    : openRollouts({ ...data, renderer, trainOn });
}

interface SplitRows {
  readonly trained: Uint32Array;
  readonly heldOut: Uint32Array;
}

function splitOf(source: SftSource, fraction: number): SplitRows {
  const trained: number[] = [];
  const heldOut: number[] = [];
  for (let row = 0; row < source.size; row++) (source.hashOf(row) < fraction ? heldOut : trained).push(row);
  return { trained: Uint32Array.from(trained), heldOut: Uint32Array.from(heldOut) };
}

function allOf(source: SftSource): HeldOutRow[] {
  return Array.from({ length: source.size }, (_, row) => ({ source, row }));
}

function rowsOf(opened: OpenedSource | undefined, rows: Uint32Array): HeldOutRow[] {
  return opened === undefined ? [] : Array.from(rows, (row) => ({ source: opened.source, row }));
}

/** The same ones every time. */
function someOf(rows: readonly HeldOutRow[], { evaluation, seed }: CorpusOptions): HeldOutRow[] {
  if (rows.length <= evaluation.maxConversations) return [...rows];
  return createRandom(`sft/held-out/${seed}`).shuffle(rows).slice(0, evaluation.maxConversations);
}
