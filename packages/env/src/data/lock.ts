// Task ← data: one downloader per cache folder. Others wait and then find the work done.
// The holder refreshes the lock while it lives; a lock whose process is gone, or that has gone cold, is taken over.
// A take-over race ends in two downloads of the same content at worst: every file is checked before it is used.
import { mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { onDisk } from "./download.ts";
import type { DataMachine } from "./machine.ts";

const refreshMs = 5_000;
const coldMs = 60_000;
const pollMs = 200;

export interface LockOptions {
  readonly directory: string;
  readonly machine: DataMachine;
  readonly signal: AbortSignal | undefined;
}

export async function withLock<T>({ directory, machine, signal }: LockOptions, work: () => Promise<T>): Promise<T> {
  const path = join(directory, "lock");
  await onDisk(directory, () => mkdir(directory, { recursive: true }));
  while (!(await tryLock(path))) {
    if (await isAbandoned(path)) await rm(path, { force: true });
    else await machine.sleep(pollMs, signal);
  }
  const refresh = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), refreshMs);
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    if (Date.now() - mtimeMs > coldMs) return true;
    const holder = JSON.parse(text) as { readonly pid: number; readonly host: string };
    return holder.host === hostname() && !isAlive(holder.pid);
  } catch {
    // Just released, or just being written: look again.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
