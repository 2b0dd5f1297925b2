// Small files that are replaced as a whole. A reader sees the old content or the new one, never a part, also after a power loss.
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { diskError } from "./disk-error.ts";

export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
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
export async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(content);
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
