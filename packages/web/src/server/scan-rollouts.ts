// Which rollouts of a list hold a text, in the order of the list. Portions of the list are looked through one after the other, the files of a portion
// beside each other, each in as few reads as its lines need. A portion is a few megabytes at most, so that memory stays bounded and others are answered
// in between; when the time is over, what was found is told with where to go on.
import type { FileHandle } from "node:fs/promises";
import { rolloutPaths, runPaths } from "@hone/store";
import { openIn, resolveInside } from "./inside.ts";
import { saidIn } from "./rollout-facts.ts";
import type { IndexedRollout } from "./rollout-index.ts";

export interface ScanOptions {
  /** The first place that is looked at. */
  readonly from: number;
  readonly by?: 1 | -1;
  readonly limit: number;
  /** As `needleOf` makes it. */
  readonly needle: string;
}
export interface ScanLimits {
  readonly searchMs: number;
  readonly now: () => number;
}
export interface Scan {
  readonly hits: readonly ScanHit[];
  /** The place after the last that was looked at. */
  readonly next: number;
}
export interface ScanHit {
  readonly rollout: IndexedRollout;
  /** The text around the first place in it. */
  readonly excerpt: string;
}

/** The first portion is small, so that what is near the beginning is told soon. */
const firstPortion = 64;
const mostPortion = 2048;
const mostBytes = 8 * 1024 * 1024;
const filesAtOnce = 8;
/** Less between two lines is read along with them. */
const smallGapBytes = 65_536;
const excerptLength = 160;

export async function scanRollouts(
  folder: string,
  sorted: readonly IndexedRollout[],
  { from, by = 1, limit, needle }: ScanOptions,
  { searchMs, now }: ScanLimits,
): Promise<Scan> {
  const until = now() + searchMs;
  const files = await resolveInside(folder, runPaths(folder).rollouts);
  if (files === undefined) return { hits: [], next: by > 0 ? sorted.length : -1 };
  const hits: ScanHit[] = [];
  let place = from;
  for (let size = firstPortion; ; size = Math.min(mostPortion, 2 * size)) {
    const portion = takePortion(sorted, place, by, size);
    if (portion.length === 0) return { hits, next: place };
    const found = await scanPortion({ folder, files }, portion, needle);
    for (const rollout of portion) {
      place += by;
      const excerpt = found.get(rollout);
      if (excerpt === undefined) continue;
      hits.push({ rollout, excerpt });
      if (hits.length >= limit) return { hits, next: place };
    }
    if (now() > until) return { hits, next: place };
  }
}

function takePortion(
  sorted: readonly IndexedRollout[],
  from: number,
  by: 1 | -1,
  size: number,
): readonly IndexedRollout[] {
  const portion: IndexedRollout[] = [];
  let bytes = 0;
  for (let at = from; portion.length < size && bytes < mostBytes; at += by) {
    const rollout = sorted[at];
    if (rollout === undefined) break;
    portion.push(rollout);
    bytes += rollout.bytes;
  }
  return portion;
}

interface Place {
  readonly folder: string;
  /** What rollouts/ really is. */
  readonly files: string;
}

async function scanPortion(
  { folder, files }: Place,
  portion: readonly IndexedRollout[],
  needle: string,
): Promise<ReadonlyMap<IndexedRollout, string>> {
  const found = new Map<IndexedRollout, string>();
  const steps = new Map<number, IndexedRollout[]>();
  for (const rollout of portion) {
    const own = steps.get(rollout.step);
    if (own === undefined) steps.set(rollout.step, [rollout]);
    else own.push(rollout);
  }
  const waiting = [...steps];
  const readFiles = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [step, rollouts] = next;
      const file = await openIn(folder, files, rolloutPaths(folder, step).lines);
      if (file === undefined) continue;
      try {
        for (const run of runsOf(rollouts)) await scanRun(file, run, needle, found);
      } finally {
        await file.close();
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, readFiles));
  return found;
}

/** Lines of one file that are read at once. */
function runsOf(rollouts: readonly IndexedRollout[]): readonly (readonly IndexedRollout[])[] {
  const runs: IndexedRollout[][] = [];
  let [start, end] = [0, 0];
  for (const rollout of rollouts.toSorted((a, b) => a.byte - b.byte)) {
    const run = runs.at(-1);
    if (run !== undefined && rollout.byte - end <= smallGapBytes && rollout.byte + rollout.bytes - start <= mostBytes) {
      run.push(rollout);
    } else {
      runs.push([rollout]);
      start = rollout.byte;
    }
    end = rollout.byte + rollout.bytes;
  }
  return runs;
}

async function scanRun(
  file: FileHandle,
  run: readonly IndexedRollout[],
  needle: string,
  found: Map<IndexedRollout, string>,
): Promise<void> {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return;
  const buffer = Buffer.allocUnsafe(last.byte + last.bytes - first.byte);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, first.byte);
  // Most files hold nothing of it: all lines are asked at once.
  if (!mayHold(buffer.toString("utf8", 0, bytesRead), needle)) return;
  for (const rollout of run) {
    const start = rollout.byte - first.byte;
    const excerpt = findIn(buffer.toString("utf8", start, Math.min(start + rollout.bytes, bytesRead)), needle);
    if (excerpt !== undefined) found.set(rollout, excerpt);
  }
}

/** What is looked for, as `findIn` takes it. */
export function needleOf(search: string): string {
  return search.trim().toLowerCase();
}

/** The text around the first hit in what was said. The raw line is asked first: it is cheap, and most lines have none. */
function findIn(line: string, needle: string): string | undefined {
  if (!mayHold(line, needle)) return undefined;
  for (const said of saidIn(line)) {
    const at = said.toLowerCase().indexOf(needle);
    if (at < 0) continue;
    const start = Math.max(0, at - 40);
    return (start > 0 ? "…" : "") + said.slice(start, start + excerptLength);
  }
  return undefined;
}

function mayHold(json: string, needle: string): boolean {
  return json.toLowerCase().includes(JSON.stringify(needle).slice(1, -1));
}
