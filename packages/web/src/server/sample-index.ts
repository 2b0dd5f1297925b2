// Where the samples of a rollout lie in samples/NNNNNN.jsonl. The columns of a batch are most of a run's bytes: a file is gone through once, in chunks,
// for the beginnings of its lines alone, and then only the lines of the rollout that is looked at are read.
import type { FileHandle } from "node:fs/promises";
import { Sample } from "@hone/core";
import { samplesPath } from "@hone/store";
import * as z from "zod";
import { openInside } from "./inside.ts";
import { parseObject } from "./tail.ts";

interface Place {
  readonly byte: number;
  readonly bytes: number;
}
interface StepPlaces {
  /** Files are written whole and then renamed: another one has other values here. */
  readonly mark: string;
  readonly places: ReadonlyMap<string, readonly Place[]>;
}

const chunkBytes = 262_144;
/** Id and rollout come first; both are short. */
const headBytes = 1024;
const mostSteps = 32;
const longestBytes = 64 * 1024 * 1024;
const head = /^\{"id":"(?:[^"\\]|\\.)*","rollout":("(?:[^"\\]|\\.)*")/;

export class SampleIndex {
  readonly #folder: string;
  readonly #steps = new Map<number, StepPlaces>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What update `step` trained on of this rollout. Lines that are no samples are passed over. */
  async of(step: number, rollout: string): Promise<readonly Sample[]> {
    const file = await openInside(this.#folder, samplesPath(this.#folder, step, "jsonl"));
    if (file === undefined) return [];
    try {
      const samples: Sample[] = [];
      for (const place of (await this.#places(step, file)).get(rollout) ?? []) {
        const sample = await readSample(file, place);
        if (sample !== undefined) samples.push(sample);
      }
      return samples;
    } finally {
      await file.close();
    }
  }

  async #places(step: number, file: FileHandle): Promise<StepPlaces["places"]> {
    const { ino, size, mtimeMs } = await file.stat();
    const mark = `${ino} ${size} ${mtimeMs}`;
    const known = this.#steps.get(step);
    const found = known?.mark === mark ? known : { mark, places: await findPlaces(file, size) };
    this.#steps.delete(step);
    this.#steps.set(step, found);
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > mostSteps && oldest !== undefined) this.#steps.delete(oldest);
    return found.places;
  }
}

async function findPlaces(file: FileHandle, size: number): Promise<StepPlaces["places"]> {
  const places = new Map<string, Place[]>();
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, size)));
  let lineStart = 0;
  let beginning = Buffer.alloc(0);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - at), at);
    if (bytesRead === 0) break;
    const part = chunk.subarray(0, bytesRead);
    for (let start = 0; ;) {
      const end = part.indexOf(10, start);
      const stop = end < 0 ? bytesRead : end;
      const wanted = headBytes - beginning.length;
      if (wanted > 0) beginning = Buffer.concat([beginning, part.subarray(start, Math.min(stop, start + wanted))]);
      if (end < 0) break;
      const rollout = rolloutOf(beginning.toString());
      const place = { byte: lineStart, bytes: at + end - lineStart };
      if (rollout !== undefined) places.set(rollout, [...(places.get(rollout) ?? []), place]);
      lineStart = at + end + 1;
      start = end + 1;
      beginning = Buffer.alloc(0);
    }
    at += bytesRead;
  }
  return places;
}

function rolloutOf(beginning: string): string | undefined {
  const quoted = head.exec(beginning)?.[1];
  return quoted === undefined ? undefined : (parseObject(`{"rollout":${quoted}}`)?.["rollout"] as string | undefined);
}

async function readSample(file: FileHandle, { byte, bytes }: Place): Promise<Sample | undefined> {
  if (bytes > longestBytes) return undefined;
  const buffer = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, byte);
  const row = bytesRead < bytes ? undefined : parseObject(buffer.toString());
  const parsed = row === undefined ? undefined : z.safeDecode(Sample, row);
  return parsed?.success === true ? parsed.data : undefined;
}
