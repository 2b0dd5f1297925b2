// A run on disk: one writer, any number of readers. Readers use nothing but the files, so a running, a finished and a copied run look the same.
import { access, mkdir, readFile } from "node:fs/promises";
import { HoneError, type Rollout } from "@hone/core";
import { type AppendLog, closedError, openAppendLog } from "./append-log.ts";
import { removeTemporaries, writeFileAtomic } from "./atomic.ts";
import { diskError, isMissing } from "./disk-error.ts";
import { followLog, type FollowOptions } from "./follow-log.ts";
import { acquireLock, type RunLock } from "./lock.ts";
import { type LogRow, readLog, type ReadLogOptions } from "./read-log.ts";
import { readRollouts, type ReadRolloutsOptions } from "./read-rollouts.ts";
import { encodeRow, type RunStreams, type StreamName, streamSchemas } from "./rows.ts";
import { runPaths } from "./run-paths.ts";

/** Holds the lock until it is closed. Rollouts have a writer of their own (`openRolloutWriter`). */
export class RunWriter implements AsyncDisposable {
  readonly directory: string;
  readonly #lock: RunLock;
  readonly #logs = new Map<StreamName, Promise<AppendLog>>();
  #closing: Promise<void> | undefined;

  constructor(directory: string, lock: RunLock) {
    this.directory = directory;
    this.#lock = lock;
  }

  /** Resolves when the operating system has the row. It need not be awaited: `flush` and `close` report errors too. */
  append<Name extends StreamName>(stream: Name, row: RunStreams[Name]): Promise<void> {
    const written = this.#append(stream, row);
    written.catch(() => undefined);
    return written;
  }

  /** Everything appended so far is on the disk. */
  async flush(): Promise<void> {
    await this.#each((log) => log.flush());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #append<Name extends StreamName>(stream: Name, row: RunStreams[Name]): Promise<void> {
    if (this.#closing !== undefined) throw closedError(this.directory);
    const log = await this.#log(stream);
    await log.append(encodeRow(row));
  }

  #log(stream: StreamName): Promise<AppendLog> {
    const known = this.#logs.get(stream);
    if (known !== undefined) return known;
    // Resuming starts from the last checkpoint that is certain, so each of them is made certain.
    const fsync = stream === "checkpoints" ? "each" : "close";
    const log = openAppendLog(runPaths(this.directory).streams[stream], { fsync });
    this.#logs.set(stream, log);
    return log;
  }

  async #each(action: (log: AppendLog) => Promise<void>): Promise<void> {
    const done = await Promise.allSettled([...this.#logs.values()].map(async (log) => action(await log)));
    for (const result of done) if (result.status === "rejected") throw result.reason;
  }

  async #close(): Promise<void> {
    try {
      await this.#each((log) => log.close());
    } finally {
      await this.#lock.release();
    }
  }
}

/** A new run: the folder, the lock and run.toml. */
export async function createRun(directory: string, options: { readonly config: string }): Promise<RunWriter> {
  await makeFolder(directory);
  const lock = await acquireLock(directory);
  try {
    if (await isRun(directory)) {
      throw new HoneError(`${directory} is a run already`, {
        code: "run-exists",
        hint: "Resume it, or choose another name.",
      });
    }
    await writeFileAtomic(runPaths(directory).config, options.config);
    return new RunWriter(directory, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** An existing run, to go on writing. Half-written files of a life that was killed are taken away. */
export async function resumeRun(directory: string): Promise<RunWriter> {
  if (!(await isRun(directory))) throw notARun(directory);
  const lock = await acquireLock(directory);
  try {
    await removeTemporaries(directory);
    return new RunWriter(directory, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What readers hold. Nothing stays open between calls. */
export interface RunReader {
  readonly directory: string;
  /** The text of run.toml. */
  readonly config: string;
  read<Name extends StreamName>(stream: Name, options?: ReadLogOptions): AsyncGenerator<LogRow<RunStreams[Name]>>;
  follow<Name extends StreamName>(
    stream: Name,
    options: Omit<FollowOptions<RunStreams[Name]>, "schema">,
  ): AsyncGenerator<LogRow<RunStreams[Name]>>;
  rollouts(options?: ReadRolloutsOptions): AsyncGenerator<Rollout>;
}

export async function openRun(directory: string): Promise<RunReader> {
  const paths = runPaths(directory);
  return {
    directory,
    config: await readConfig(directory),
    read: (stream, options) => readLog(paths.streams[stream], streamSchemas[stream], options),
    follow: (stream, options) => followLog(paths.streams[stream], { ...options, schema: streamSchemas[stream] }),
    rollouts: (options) => readRollouts(directory, options),
  };
}

/** Whether there is a run in this folder: a run is a folder with a run.toml. */
export async function isRun(directory: string): Promise<boolean> {
  return access(runPaths(directory).config).then(
    () => true,
    () => false,
  );
}

async function readConfig(directory: string): Promise<string> {
  const path = runPaths(directory).config;
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw isMissing(error) ? notARun(directory) : diskError(path, "read", error);
  }
}

async function makeFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw diskError(directory, "write", error);
  }
}

function notARun(directory: string): HoneError {
  return new HoneError(`${directory} is not a run: it has no run.toml`, {
    code: "not-a-run",
    hint: "hone runs list shows the runs there are.",
  });
}
