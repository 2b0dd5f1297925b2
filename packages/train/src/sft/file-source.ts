// Conversations in files. Only the index stays in memory; a conversation is read and rendered when its turn comes.
import { type FileHandle, open } from "node:fs/promises";
import { basename, relative } from "node:path";
import { HoneError, sha256Hex } from "@hone/core";
import type { Renderer } from "@hone/tokens";
import { parseConversation } from "./conversation.ts";
import { expandPath } from "./glob.ts";
import { indexLines, type LineIndex, readRow, rowError } from "./line-index.ts";
import type { OpenedSource, SftSource } from "./source.ts";
import { type TokenRow, tokenise, type TrainOn } from "./tokenise.ts";

export interface FileSourceOptions {
  /** Files, or patterns with * ? and **. */
  readonly paths: readonly string[];
  readonly weight?: number;
  readonly cwd: string;
  readonly renderer: Renderer;
  readonly trainOn: TrainOn;
}

/** Files open at once; beyond that the one that was opened first is closed. */
const mostOpen = 64;

export async function openFiles(options: FileSourceOptions): Promise<OpenedSource> {
  const { paths, cwd, weight, renderer, trainOn } = options;
  const files = new Set<string>();
  for (const path of paths) for (const file of await expandPath(path, cwd)) files.add(file);
  const indices: LineIndex[] = [];
  for (const file of files) {
    const short = relative(cwd, file);
    indices.push(await indexLines(file, short.startsWith("..") ? file : short));
  }
  const name = paths.join(", ");
  if (indices.every(({ starts }) => starts.length === 0)) {
    throw new HoneError(`${name} holds no conversation.`, {
      code: "no-data",
      hint: 'Write one per line: {"messages": [...]}, or {"prompt": ..., "completion": ...}.',
    });
  }
  const fingerprint = sha256Hex(indices.map((index) => index.fingerprint).join(" ")).slice(0, 16);
  return { source: new FileSource(name, indices, renderer, trainOn), weight, fingerprint };
}

class FileSource implements SftSource {
  readonly name: string;
  readonly size: number;
  readonly #indices: readonly LineIndex[];
  readonly #labels: readonly string[];
  /** Number of the first row of each file. */
  readonly #firsts: readonly number[];
  readonly #renderer: Renderer;
  readonly #trainOn: TrainOn;
  readonly #open = new Map<LineIndex, Promise<FileHandle>>();

  constructor(name: string, indices: readonly LineIndex[], renderer: Renderer, trainOn: TrainOn) {
    this.name = name;
    this.#indices = indices;
    this.#labels = labelsOf(indices);
    let size = 0;
    this.#firsts = indices.map(({ starts }) => (size += starts.length) - starts.length);
    this.size = size;
    this.#renderer = renderer;
    this.#trainOn = trainOn;
  }

  labelOf(row: number): string {
    return this.#labels[this.#fileOf(row)] ?? this.name;
  }

  hashOf(row: number): number {
    const { index, at } = this.#find(row);
    return index.hashes[at] ?? 0;
  }

  async read(row: number): Promise<TokenRow> {
    const { index, at } = this.#find(row);
    const json = await readRow(index, at, await this.#handle(index));
    try {
      return tokenise(parseConversation(json), this.#renderer, this.#trainOn);
    } catch (error) {
      throw rowError(index, index.lines[at] ?? 0, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map(async (file) => (await file).close()));
  }

  async #handle(index: LineIndex): Promise<FileHandle> {
    const known = this.#open.get(index);
    if (known !== undefined) return known;
    const opened = open(index.path, "r");
    this.#open.set(index, opened);
    const [oldest] = this.#open;
    if (this.#open.size > mostOpen && oldest !== undefined) {
      this.#open.delete(oldest[0]);
      await (await oldest[1]).close();
    }
    return opened;
  }

  #find(row: number): { readonly index: LineIndex; readonly at: number } {
    const file = this.#fileOf(row);
    const index = this.#indices[file];
    if (index === undefined) throw new RangeError(`${this.name} has no row ${row}`);
    return { index, at: row - (this.#firsts[file] ?? 0) };
  }

  /** The last file that starts at or before this row. */
  #fileOf(row: number): number {
    let low = 0;
    let high = this.#firsts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#firsts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The name of a file without its ending; the path where two have the same. */
function labelsOf(indices: readonly LineIndex[]): string[] {
  const names = indices.map(({ path }) => basename(path).replace(/\.jsonl?$/, ""));
  return names.map((name, at) =>
    names.some((other, index) => index !== at && other === name) ? (indices[at]?.shownPath ?? name) : name,
  );
}
