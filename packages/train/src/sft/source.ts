// One [[data]] of a run: conversations that can be counted, split and read by number. Where they come from, files or saved rollouts, is known
// to whoever opened it.
import type { TokenRow } from "./tokenise.ts";

export interface SftSource extends AsyncDisposable {
  readonly name: string;
  /** Conversations, the held-out ones included. */
  readonly size: number;
  /** What the metrics call the part of the source that a row belongs to: its file. */
  labelOf(row: number): string;
  /** In [0, 1), from the content alone. */
  hashOf(row: number): number;
  read(row: number): Promise<TokenRow>;
}

/** With what decides the order: its share, and what it holds. */
export interface OpenedSource {
  readonly source: SftSource;
  /** Share of the conversations, relative to the other sources; by size unless given. */
  readonly weight: number | undefined;
  /** Another one means another order: a run cannot go on. */
  readonly fingerprint: string;
}
