// What a run has on disk that cannot be read: told to whoever looks at it, since what is missing from a page is not seen.
import { rolloutPaths, runPaths, type StreamName } from "@hone/store";
import type { FileProblem } from "../app/api-types.ts";
import type { BadLines } from "./bad-lines.ts";

export interface BadFiles {
  readonly streams: Readonly<Partial<Record<StreamName, { readonly bad: BadLines }>>>;
  /** By step. */
  readonly rollouts: ReadonlyMap<number, BadLines>;
}

/** Of a folder full of foreign files the first few say enough. */
const mostFiles = 8;

export function fileProblems({ streams, rollouts }: BadFiles): readonly FileProblem[] {
  const ofStreams = Object.entries(streams).map(([name, { bad }]) => ({
    file: runPaths("").streams[name as StreamName],
    bad,
  }));
  const ofRollouts = [...rollouts].map(([step, bad]) => ({ file: rolloutPaths("", step).lines, bad }));
  return [...ofStreams, ...ofRollouts]
    .filter(({ bad }) => bad.count > 0)
    .slice(0, mostFiles)
    .map(({ file, bad }) => ({ file: file.replaceAll("\\", "/"), lines: bad.count, firstByte: bad.firstByte }));
}
