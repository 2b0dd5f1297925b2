// One writer per run directory. The lock file names the process that writes; a dead one is taken over, a live one is never.
// Invariant: `lock` appears by linking a finished file (never seen half written) and is replaced only by whoever holds `lock.takeover`.
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { HoneError } from "@hone/core";
import * as z from "zod";
import { writeSynced } from "./atomic.ts";
import { diskError, errorCode, isMissing } from "./disk-error.ts";
import { processStart } from "./process-identity.ts";
import { runPaths } from "./run-paths.ts";

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, comparable as text; null where the system does not say. */
  readonly start: string | null;
  /** Different for every time a lock was taken. */
  readonly token: string;
  readonly atMs: number;
}
/** "elsewhere": on another host, whose processes cannot be seen from here. */
export type LockState = LockHolder & { readonly status: "alive" | "dead" | "elsewhere" };

const LockHolder: z.ZodType<LockHolder> = z.strictObject({
  pid: z.int().positive(),
  host: z.string(),
  start: z.string().nullable(),
  token: z.string(),
  atMs: z.number(),
});

export class RunLock implements AsyncDisposable {
  readonly holder: LockHolder;
  readonly #path: string;

  constructor(path: string, holder: LockHolder) {
    this.#path = path;
    this.holder = holder;
  }

  /** Someone may have deleted the file by hand and locked anew: only our own is removed. */
  async release(): Promise<void> {
    const current = await readHolder(this.#path).catch(() => undefined);
    if (current?.token === this.holder.token) await rm(this.#path, { force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

/** Refused while another process, or this one, holds it. */
export async function acquireLock(directory: string): Promise<RunLock> {
  const path = runPaths(directory).lock;
  try {
    return await acquire(path, directory);
  } catch (error) {
    throw diskError(path, "lock", error);
  }
}

/** Who holds it, and whether they still live. Undefined when it is free. */
export async function readLock(directory: string): Promise<LockState | undefined> {
  const holder = await readHolder(runPaths(directory).lock);
  return holder === undefined ? undefined : { ...holder, status: await statusOf(holder) };
}

async function acquire(path: string, directory: string): Promise<RunLock> {
  const holder: LockHolder = {
    pid: process.pid,
    host: hostname(),
    start: (await processStart(process.pid)) ?? null,
    token: randomUUID(),
    atMs: Date.now(),
  };
  const own = `${path}.${holder.token}`;
  await writeSynced(own, `${JSON.stringify(holder)}\n`);
  try {
    while (!(await linkNew(own, path))) {
      const current = await readHolder(path);
      if (current === undefined) continue;
      const status = await statusOf(current);
      if (status !== "dead") throw refusal(path, directory, { ...current, status });
      if (await takeOver(path, directory, current, own)) break;
    }
    return new RunLock(path, holder);
  } finally {
    await rm(own, { force: true });
  }
}

/** False when the dead holder was replaced or removed by somebody else in the meantime. The guard is a lock like any other, so a death in here is survived as well. */
async function takeOver(path: string, directory: string, dead: LockHolder, own: string): Promise<boolean> {
  await using _guard = await acquire(`${path}.takeover`, directory);
  const current = await readHolder(path);
  if (current?.token !== dead.token) return false;
  await rename(own, path);
  return true;
}

async function linkNew(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const parsed = LockHolder.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new HoneError(`${path} does not say who holds it`, {
    code: "locked",
    hint: `If no process is writing there, delete the file: rm ${path}`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function statusOf(holder: LockHolder): Promise<LockState["status"]> {
  if (holder.host !== hostname()) return "elsewhere";
  const start = await processStart(holder.pid);
  if (start === undefined) return "dead";
  const isAnother = start !== null && holder.start !== null && start !== holder.start;
  return isAnother ? "dead" : "alive";
}

function refusal(path: string, directory: string, { pid, host, status }: LockState): HoneError {
  const hint =
    status === "elsewhere"
      ? `Stop it there. If ${host} is gone for good, delete the file: rm ${path}`
      : `Wait for it, stop it (hone runs stop), or end process ${pid}.`;
  return new HoneError(`${directory} is being written by process ${pid} on ${host}`, { code: "locked", hint });
}
