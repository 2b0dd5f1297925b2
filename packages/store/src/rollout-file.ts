// Writing rollouts of one step: rollouts/000012.jsonl and its token file. The tokens of a rollout are written before its line,
// so a process killed in between leaves tokens without a line, which nobody reads and the next writer overwrites.
import { access } from "node:fs/promises";
import { HoneError, type Rollout } from "@hone/core";
import { type AppendFile, openAppendFile, openLineFile } from "./append-file.ts";
import { type AppendLogOptions, closedError, type Fsync } from "./append-log.ts";
import { ColumnBatch, encodeRollout } from "./rollout-encode.ts";
import { type RolloutPaths, rolloutPaths } from "./run-paths.ts";
import { TextBatch, WriteQueue } from "./write-queue.ts";

export class RolloutWriter implements AsyncDisposable {
  readonly #paths: RolloutPaths;
  readonly #lines: AppendFile;
  readonly #fsync: Fsync;
  readonly #text = new TextBatch();
  readonly #columns = new ColumnBatch();
  readonly #queue = new WriteQueue(() => this.#write());
  /** Opened when there are tokens: an evaluation of a remote model has none. */
  #tokens: AppendFile | undefined;
  #tokensEnd: number;
  #closing: Promise<void> | undefined;

  constructor(files: OpenFiles, fsync: Fsync) {
    this.#paths = files.paths;
    this.#lines = files.lines;
    this.#tokens = files.tokens;
    this.#tokensEnd = files.tokensEnd;
    this.#fsync = fsync;
  }

  /** Resolves when the operating system has it and every rollout before it. It need not be awaited: `flush` and `close` report errors too. */
  write(rollout: Rollout): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.#paths.lines));
    if (this.#queue.failed !== undefined) return this.#queue.failed;
    try {
      const { line, tokensEnd } = encodeRollout(rollout, this.#tokensEnd);
      for (const { tokens } of rollout.nodes) if (tokens !== undefined) this.#columns.put(tokens);
      this.#tokensEnd = tokensEnd;
      this.#text.put(line);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#queue.request(this.#text.isFull || this.#columns.isFull);
  }

  /** Everything written so far is on the disk. */
  async flush(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    await this.#queue.drained();
    await this.#sync();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #write(): Promise<void> {
    const columns = this.#columns.take();
    const text = this.#text.take();
    const linesBefore = this.#lines.size;
    const tokensBefore = this.#tokens?.size ?? 0;
    try {
      if (columns.length > 0) this.#tokens ??= await openAppendFile(this.#paths.tokens);
      for (const piece of columns) await this.#tokens?.write(piece);
      for (const piece of text) await this.#lines.write(piece);
      this.#columns.recycle(columns);
      this.#text.recycle(text);
      if (this.#fsync === "each") await this.#sync();
    } catch (error) {
      await this.#lines.cutBack(linesBefore);
      await this.#tokens?.cutBack(tokensBefore);
      throw error;
    }
  }

  /** Tokens first: after a power loss a line never outlives its tokens. */
  async #sync(): Promise<void> {
    await this.#tokens?.sync();
    await this.#lines.sync();
  }

  async #close(): Promise<void> {
    try {
      await this.#queue.drained();
      if (this.#fsync !== "never") await this.#sync();
    } finally {
      await this.#lines.close();
      await this.#tokens?.close();
    }
  }
}

/** Continues the files of this step where they are whole: torn lines, and lines whose tokens never arrived, are cut off. */
export async function openRolloutWriter(
  directory: string,
  step: number,
  options: AppendLogOptions = {},
): Promise<RolloutWriter> {
  const paths = rolloutPaths(directory, step);
  const lines = await openLineFile(paths.lines);
  let tokens: AppendFile | undefined;
  try {
    if (await exists(paths.tokens)) tokens = await openAppendFile(paths.tokens);
    const tokensEnd = await cutToWhole(lines, tokens);
    return new RolloutWriter({ paths, lines, tokens, tokensEnd }, options.fsync ?? "close");
  } catch (error) {
    await lines.close();
    await tokens?.close();
    throw error;
  }
}

interface OpenFiles {
  readonly paths: RolloutPaths;
  readonly lines: AppendFile;
  readonly tokens: AppendFile | undefined;
  readonly tokensEnd: number;
}

/** Where the token file goes on. */
async function cutToWhole(lines: AppendFile, tokens: AppendFile | undefined): Promise<number> {
  let end = lines.size;
  let tokensEnd: number | undefined = 0;
  while (end > 0) {
    const start = (await lines.lastNewline(end - 1)) + 1;
    tokensEnd = tokensEndOf(await lines.text(start, end));
    if (tokensEnd === undefined || tokensEnd <= (tokens?.size ?? 0)) break;
    // Not torn: a copy that left the token file out. Cutting would throw every line away.
    if (tokens === undefined) throw missingTokens(lines.path.replace(/\.jsonl$/, ".tokens"));
    end = start;
  }
  if (end < lines.size) await lines.resize(end);
  // A last line that cannot be read is for a person to mend; its tokens, wherever they are, stay.
  const goesOnAt = (end === 0 ? 0 : tokensEnd) ?? Math.ceil((tokens?.size ?? 0) / 4) * 4;
  if (tokens !== undefined && tokens.size !== goesOnAt) await tokens.resize(goesOnAt);
  return goesOnAt;
}

function tokensEndOf(line: string): number | undefined {
  try {
    const { tokensEnd } = JSON.parse(line) as { readonly tokensEnd?: unknown };
    return typeof tokensEnd === "number" && tokensEnd % 4 === 0 ? tokensEnd : undefined;
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export function missingTokens(path: string): HoneError {
  return new HoneError(`${path} is missing`, {
    code: "missing-tokens",
    hint: "Copy it beside the .jsonl file; without it the rollouts can only be read without tokens.",
  });
}
