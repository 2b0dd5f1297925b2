// Which files may be read. A name from a request, or a link inside a copied run, never leads out of the root:
// every path is resolved to what it really is, and what lies outside, or is no plain file, does not exist.
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { HoneError } from "@hone/core";
import { isRun, runPaths, safeName } from "@hone/store";
import type { RunKind } from "../app/api-types.ts";

/** Undefined when it is missing or leads elsewhere. */
export async function resolveInside(root: string, path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  // A real path that begins with the root is inside, whatever the root is. Only a root that is reached by a link must be resolved too.
  if (isBelow(root, real)) return real;
  const realRoot = await realpath(root).catch(() => undefined);
  return realRoot !== undefined && isBelow(realRoot, real) ? real : undefined;
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The real folder of a run. */
export async function runFolder(root: string, kind: RunKind, name: string): Promise<string> {
  const folder = await resolveInside(join(root, kind), join(root, kind, safeName(name, "a run")));
  if (folder !== undefined && (await isRun(folder))) return folder;
  throw new HoneError(`There is no run ${JSON.stringify(name.slice(0, 80))} in ${kind}/.`, {
    code: "not-a-run",
    hint: "It may be about to begin, or have been moved or deleted.",
  });
}

/** Opened for reading when it is a plain file of this folder, not a pipe, not a link that leads out. Close it. */
export async function openInside(folder: string, path: string): Promise<FileHandle | undefined> {
  const real = await resolveInside(folder, path);
  return real === undefined ? undefined : openPlain(real).catch(() => undefined);
}

/** The same for a file of a directory that was resolved before: for thousands of them, that is most of the work. */
export async function openIn(folder: string, directory: string, path: string): Promise<FileHandle | undefined> {
  if (constants.O_NOFOLLOW === undefined) return openInside(folder, path);
  try {
    return await openPlain(join(directory, basename(path)));
  } catch (error) {
    // A link is not followed blindly: where it leads decides.
    const isLink = error instanceof Error && "code" in error && error.code === "ELOOP";
    return isLink ? openInside(folder, path) : undefined;
  }
}

async function openPlain(path: string): Promise<FileHandle | undefined> {
  // NONBLOCK: a pipe that nobody writes to would be waited for, for ever.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  return undefined;
}

export async function readInside(folder: string, path: string, limitBytes: number): Promise<string> {
  const file = await openInside(folder, path);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, limitBytes));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Asks the run to stop. Made anew or not at all: a link that lies there already is not written through. */
export async function askToStop(folder: string): Promise<void> {
  const file = await open(runPaths(folder).stop, "wx").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
    throw error;
  });
  await file?.close();
}
