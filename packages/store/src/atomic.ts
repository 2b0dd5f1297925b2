// Small files that are replaced as a whole. A reader sees the old content or the new one, never a part, also after a power loss.
import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { diskError, isMissing } from "./disk-error.ts";

/** Pieces are written one after the other: a file may be longer than a string can be. */
type FileContent = string | Uint8Array | Iterable<string>;

export async function writeFileAtomic(path: string, content: FileContent): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeSynced(temporary, content);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw diskError(path, "write", error);
  }
}

/** A new file, on the disk when this resolves. */
export async function writeSynced(path: string, content: FileContent): Promise<void> {
  const file = await open(path, "wx");
  try {
    const pieces = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
    for (const piece of pieces) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder durable: a new or renamed file may otherwise be missing after a power loss. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder; its file systems journal names by themselves.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const temporary = /^\..+\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.tmp$/;

/** Takes away what writers that were killed left in `folder` and `depth` folders below. For whoever holds the lock: another writer's would be among them. */
export async function removeTemporaries(folder: string, depth = 2): Promise<void> {
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isFile() && temporary.test(entry.name)) await rm(path, { force: true });
      else if (entry.isDirectory() && depth > 0) await removeTemporaries(path, depth - 1);
    }
  } catch (error) {
    if (!isMissing(error)) throw diskError(folder, "write", error);
  }
}
