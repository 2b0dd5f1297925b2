// Longest sequence: what is longer is dropped, or loses its end. Either way it is counted, never silent.
import * as z from "zod";
import type { TokenRow } from "./tokenise.ts";

export const TooLong = z
  .enum(["drop", "cut"])
  .describe("conversations longer than seq_len: left out, or trained without their end");
export type TooLong = z.output<typeof TooLong>;

export interface Fitted {
  /** Undefined when it is left out: too long, or nothing trained is left of it. */
  readonly row: TokenRow | undefined;
  readonly isCut: boolean;
}

export function fit(row: TokenRow, seqLen: number, tooLong: TooLong): Fitted {
  if (row.tokens.length <= seqLen) return { row: isTrained(row) ? row : undefined, isCut: false };
  if (tooLong === "drop") return { row: undefined, isCut: false };
  const cut = { tokens: row.tokens.slice(0, seqLen), trained: row.trained.slice(0, seqLen) };
  return isTrained(cut) ? { row: cut, isCut: true } : { row: undefined, isCut: false };
}

function isTrained({ trained }: TokenRow): boolean {
  return trained.includes(1);
}
