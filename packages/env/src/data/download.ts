// Task ← data: one file from an address to a path. What has arrived is kept in `<path>.part` and continued from there, in this process or the next,
// when the server vouches with a strong ETag that it is still the same file; otherwise it starts again.
// Invariant: `<path>` exists only whole: its length and, where known beforehand, its SHA-256 were checked before the rename.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { HoneError } from "@hone/core";
import { type Answer, asFailure, FetchFailure, get, shown, waitMs } from "./http.ts";
import type { DataMachine } from "./machine.ts";

export interface DownloadProgress {
  readonly url: string;
  readonly receivedBytes: number;
  /** Undefined when the server does not say. */
  readonly totalBytes: number | undefined;
}
export interface Download {
  readonly url: string;
  readonly path: string;
  /** Expected content, 64 hexadecimal digits. */
  readonly sha256: string | undefined;
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined;
  readonly machine: DataMachine;
  readonly signal: AbortSignal | undefined;
}
export interface Downloaded {
  readonly bytes: number;
  readonly sha256: string;
}

/** Progress that shows a server is worth staying with. */
const progressBytes = 2 ** 20;

export async function download(wanted: Download): Promise<Downloaded> {
  const { path, machine, signal } = wanted;
  const part = `${path}.part`;
  let failures = 0;
  let isStartedOver = false;
  for (;;) {
    const before = await sizeOf(part);
    try {
      const { wasResumed, expected, ...downloaded } = await transfer(wanted, part);
      if (expected === undefined || expected === downloaded.sha256) {
        await rename(part, path);
        await rm(`${part}.json`, { force: true });
        return downloaded;
      }
      await discard(part);
      // Two halves of different files look like this; a file that is wrong from end to end does not improve.
      if (!wasResumed || isStartedOver) throw wrongContent(wanted.url, expected, downloaded.sha256);
      isStartedOver = true;
    } catch (error) {
      signal?.throwIfAborted();
      if (!HoneError.is(error) || !error.isRetryable) throw error;
      failures = (await sizeOf(part)) - before >= progressBytes ? 1 : failures + 1;
      if (failures >= machine.patience.attempts) throw error;
      await machine.sleep(waitMs(error, failures, machine), signal);
    }
  }
}

interface Transferred extends Downloaded {
  readonly wasResumed: boolean;
  readonly expected: string | undefined;
}

/** One connection: continues the part, or begins it. */
async function transfer({ url, sha256, onProgress, machine, signal }: Download, part: string): Promise<Transferred> {
  const held = await sizeOf(part);
  const etag = held === 0 ? undefined : await etagOf(part, url);
  const headers = etag === undefined ? {} : { range: `bytes=${held}-`, "if-range": etag };
  const answer = await get({ url, headers, machine, signal });
  const hash = createHash("sha256");
  let file: FileHandle | undefined;
  try {
    const wasResumed = held > 0 && startOf(answer.response) === held;
    if (answer.response.status !== 200 && !wasResumed) {
      await discard(part);
      throw new FetchFailure(`${shown(url)} has no such part of the file.`);
    }
    if (wasResumed) await hashFile(part, hash);
    else await onDisk(part, () => remember(part, url, answer));
    answer.alive();
    file = await onDisk(part, () => open(part, wasResumed ? "a" : "w"));
    const total = totalOf(answer, wasResumed ? held : 0);
    let bytes = wasResumed ? held : 0;
    for await (const chunk of answer.response.body ?? []) {
      answer.alive();
      await onDisk(part, () => file?.appendFile(chunk));
      hash.update(chunk);
      bytes += chunk.length;
      onProgress?.({ url: shown(url), receivedBytes: bytes, totalBytes: total });
    }
    await file.sync();
    if (total !== undefined && bytes !== total) {
      throw new FetchFailure(`${shown(url)} ended after ${bytes} of ${total} bytes.`);
    }
    return { bytes, sha256: hash.digest("hex"), wasResumed, expected: sha256 ?? linkedSha256(answer) };
  } catch (error) {
    throw asFailure(error, url, signal);
  } finally {
    answer.done();
    await file?.close();
    await answer.response.body?.cancel().catch(() => {});
  }
}

/** Written before the first byte, so that whoever finds the part knows what it is part of. */
async function remember(part: string, url: string, { response }: Answer): Promise<void> {
  const etag = response.headers.get("etag");
  const isStrong = etag !== null && !etag.startsWith("W/");
  await rm(part, { force: true });
  if (isStrong) await writeFile(`${part}.json`, JSON.stringify({ url: shown(url), etag }));
  else await rm(`${part}.json`, { force: true });
}

async function etagOf(part: string, url: string): Promise<string | undefined> {
  try {
    const known = JSON.parse(await readFile(`${part}.json`, "utf8")) as {
      readonly url?: unknown;
      readonly etag?: unknown;
    };
    return known.url === shown(url) && typeof known.etag === "string" ? known.etag : undefined;
  } catch {
    return undefined;
  }
}

/** The hub names the SHA-256 of large files while it redirects. */
function linkedSha256({ headers }: Answer): string | undefined {
  return /^"?([0-9a-f]{64})"?$/.exec(headers.get("x-linked-etag") ?? "")?.[1];
}

function startOf(response: Response): number {
  const start = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1];
  return response.status === 206 && start !== undefined ? Number(start) : 0;
}

function totalOf({ response }: Answer, start: number): number | undefined {
  const length = response.headers.get("content-length");
  return length === null || response.headers.has("content-encoding") ? undefined : start + Number(length);
}

export async function hashFile(path: string, hash: Hash = createHash("sha256")): Promise<Hash> {
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  return hash;
}

async function discard(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(`${part}.json`, { force: true });
}

export async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What fails here fails again: a full disk, a folder that may not be written. */
export async function onDisk<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new HoneError(`${path} cannot be written: ${(error as Error).message}`, {
      code: "cache",
      hint: "HONE_CACHE names another folder for downloaded data.",
      cause: error,
    });
  }
}

function wrongContent(url: string, expected: string, found: string): HoneError {
  return new HoneError(`${shown(url)} has the SHA-256 ${found}, not ${expected}.`, {
    code: "checksum",
    hint: "The file changed, or is not the one you meant. Nothing was kept.",
  });
}
