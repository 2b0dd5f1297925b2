// What tests of conversion share.
import { expect } from "vitest";
import { type Converted, convertRun } from "../convert.ts";
import { loadRunConfig } from "../load.ts";
import { shellWords } from "../relatives/command-line.ts";
import type { ResolvedRun } from "../resolve.ts";

export const convert = (toml: string): Promise<Converted> => convertRun({ toml, path: "theirs.toml" });
export const convertCommand = (text: string): Promise<Converted> => convertRun({ words: shellWords(text) });

/** What the converted file says, read without a note. */
export async function loaded({ toml }: Converted): Promise<ResolvedRun> {
  const { config, notes } = await loadRunConfig({ files: [{ path: "ours.toml", text: toml }] });
  expect(notes).toEqual([]);
  return config;
}
export const reasons = ({ dropped }: Converted): Record<string, string> =>
  Object.fromEntries(dropped.map(({ key, reason }) => [key, reason]));
