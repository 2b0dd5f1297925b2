// What a run will take of this machine's memory, before anything is loaded; and whether that is there.
import { totalmem } from "node:os";
import type { ResolvedRun } from "@hone/train";
import { bytes } from "../screen/words.ts";

export interface Memory {
  /** At most, when everything is in use. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
  readonly total: number;
  /** Of the machine. */
  readonly there: number;
}

export async function memoryFor(
  folder: string,
  { lora, seqLen, cpu }: Pick<ResolvedRun, "lora" | "seqLen" | "cpu">,
): Promise<Memory> {
  const { planEngineMemory } = await import("@hone/engine-cpu");
  const { parts } = await planEngineMemory({
    model: folder,
    adapter: lora === false ? "full" : lora,
    ...(seqLen === undefined ? {} : { contextTokens: seqLen }),
    isRecomputing: cpu?.recompute ?? false,
  });
  return { parts, total: parts.reduce((sum, part) => sum + part.bytes, 0), there: totalmem() };
}

export function memoryLine({ parts, total, there }: Memory): string {
  const shown = parts.filter((part) => part.bytes > 0).map((part) => `${part.name} ${bytes(part.bytes)}`);
  const said = total > there ? ", which is too little" : "";
  return `memory: at most ${bytes(total)} of ${bytes(there)}${said} (${shown.join(", ")})`;
}
