// Reading rollouts back, of one step or of all, in the order they finished. Streams: memory is one block of lines and one window of tokens.
// Lines at the end whose tokens never arrived are torn, like a line without a newline, and dropped; in the middle they are malformed rows.
import { readdir } from "node:fs/promises";
import { HoneError, type Rollout } from "@hone/core";
import { ColumnFile } from "./column-file.ts";
import { diskError, isMissing } from "./disk-error.ts";
import { openForReading, type RawLine, readLines } from "./lines.ts";
import { stepOf } from "./names.ts";
import { parseLine, type ReadLogOptions, reportBadRow } from "./read-log.ts";
import { decodeRollout, lineColumns, openLine, tokensStart } from "./rollout-decode.ts";
import { missingTokens } from "./rollout-file.ts";
import { rolloutPaths, type RolloutPaths, runPaths } from "./run-paths.ts";

export interface ReadRolloutsOptions extends ReadLogOptions {
  /** One step; all of them unless given. */
  readonly step?: number;
  /** False leaves the token file unread: nodes come without tokens. True unless given. */
  readonly tokens?: boolean;
}

export async function* readRollouts(directory: string, options: ReadRolloutsOptions = {}): AsyncGenerator<Rollout> {
  const steps = options.step === undefined ? await rolloutSteps(directory) : [options.step];
  for (const step of steps) yield* readStep(rolloutPaths(directory, step), options);
}

/** Steps with a file of rollouts, ascending. */
export async function rolloutSteps(directory: string): Promise<readonly number[]> {
  const folder = runPaths(directory).rollouts;
  try {
    const steps = (await readdir(folder)).map((file) => stepOf(file, ".jsonl"));
    return steps.filter((step) => step !== undefined).sort((a, b) => a - b);
  } catch (error) {
    if (isMissing(error)) return [];
    throw diskError(folder, "read", error);
  }
}

async function* readStep(paths: RolloutPaths, options: ReadRolloutsOptions): AsyncGenerator<Rollout> {
  const file = await openForReading(paths.lines);
  if (file === undefined) return;
  const reader = new StepReader(paths, options);
  try {
    for await (const lines of readLines(paths.lines, file, { byte: 0, line: 1 })) {
      reader.startBlock();
      for (const raw of lines) {
        const rollout = await reader.rolloutOf(raw);
        if (rollout !== undefined) yield rollout;
      }
    }
  } finally {
    await file.close();
    await reader.close();
  }
}

class StepReader {
  readonly #paths: RolloutPaths;
  readonly #columns: ColumnFile;
  readonly #withTokens: boolean;
  readonly #onBadRow: ReadLogOptions["onBadRow"];
  /** The first of the latest lines whose tokens are not there: torn, unless a whole line follows. */
  #missing: RawLine | undefined;

  constructor(paths: RolloutPaths, options: ReadRolloutsOptions) {
    this.#paths = paths;
    this.#columns = new ColumnFile(paths.tokens);
    this.#withTokens = options.tokens ?? true;
    this.#onBadRow = options.onBadRow;
  }

  /** Lines that were read together follow. */
  startBlock(): void {
    this.#columns.forgetWindow();
  }

  /** Undefined when the line is blank, torn, or malformed and reported. */
  async rolloutOf(raw: RawLine): Promise<Rollout | undefined> {
    try {
      const json = parseLine(raw);
      if (json === undefined) return undefined;
      const line = openLine(json);
      if (line.tokensEnd > this.#columns.size && !(await this.#areTokensThere(line.tokensEnd))) {
        this.#missing ??= raw;
        return undefined;
      }
      if (this.#missing !== undefined) this.#reportMissing(this.#missing);
      if (!this.#withTokens) return decodeRollout(line, undefined);
      const start = tokensStart(line);
      const bytes = this.#columns.view(start, line.tokensEnd) ?? (await this.#columns.load(start, line.tokensEnd));
      return decodeRollout(line, lineColumns(bytes, start));
    } catch (error) {
      if (HoneError.is(error)) throw error;
      reportBadRow(this.#paths.lines, raw, error, this.#onBadRow);
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.#columns.close();
  }

  async #areTokensThere(tokensEnd: number): Promise<boolean> {
    const size = await this.#columns.look();
    if (size !== undefined) return tokensEnd <= size;
    // A copy of a run without its token files is complete for whoever does not ask for tokens.
    if (!this.#withTokens) return true;
    throw missingTokens(this.#paths.tokens);
  }

  #reportMissing(missing: RawLine): void {
    this.#missing = undefined;
    const problem = new Error(`its tokens are not in ${this.#paths.tokens}`);
    reportBadRow(this.#paths.lines, missing, problem, this.#onBadRow);
  }
}
