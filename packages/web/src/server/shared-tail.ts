// The newest lines of one file, read once for all who follow it. Whoever is near the end takes them from here; whoever is further behind,
// because it came late or reads slowly, reads the file by itself until it is near.
import { startPlace, tail, type TailLine, type TailPlace } from "./tail.ts";

/** What is kept for those who are a little behind. */
const mostBytes = 1_000_000;

export class SharedTail {
  readonly folder: string;
  readonly path: string;
  #place: TailPlace | undefined;
  #lines: TailLine[] = [];

  constructor(folder: string, path: string) {
    this.folder = folder;
    this.path = path;
  }

  /** The first who follows says where the end is; those after it come near by themselves. */
  startAt(place: TailPlace): void {
    this.#place ??= place;
  }

  stop(): void {
    this.#place = undefined;
    this.#lines = [];
  }

  /** True when something was appended, or the file was replaced. */
  async look(): Promise<boolean> {
    const before = this.#place;
    for await (const { lines, place, isReplaced } of tail(this.folder, this.path, before ?? startPlace)) {
      if (this.#place === undefined) return false;
      if (isReplaced) this.#lines = [];
      for (const line of lines) this.#lines.push(line);
      this.#place = place;
      this.#forget(place.byte - mostBytes);
    }
    return this.#place?.byte !== before?.byte || this.#place?.ino !== before?.ino;
  }

  /** The lines from a place on; undefined when they are not here and the file must be asked. */
  since({ ino, byte }: TailPlace): { readonly lines: readonly TailLine[]; readonly place: TailPlace } | undefined {
    const place = this.#place;
    if (place === undefined || (ino !== 0 && ino !== place.ino)) return undefined;
    if (byte === place.byte) return { lines: [], place };
    const first = this.#lines.findLastIndex((line) => line.byte === byte);
    return first < 0 ? undefined : { lines: this.#lines.slice(first), place };
  }

  #forget(byte: number): void {
    const first = this.#lines.findIndex((line) => line.byte >= byte);
    if (first > 0) this.#lines.splice(0, first);
  }
}
