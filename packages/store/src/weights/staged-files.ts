// Files of one folder that belong together. They are written beside the old ones and renamed at the end, so that the old ones stay
// whole while the new ones grow. A reader needs the files of `last`: they go first and come last, so it never sees old and new mixed.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../atomic.ts";
import { onDisk } from "./weights-error.ts";

export interface StagedFiles {
  /** Writes the new files, each on the disk when it resolves, at the path that `stage` gives for its name. */
  readonly write: (stage: (name: string) => string) => Promise<void>;
  /** Names without which the folder is not read, the last one to come last. */
  readonly last: readonly string[];
  /** Files of an earlier write that would be left over. */
  readonly isStale: (name: string) => boolean;
}

export async function replaceFiles(folder: string, { write, last, isStale }: StagedFiles): Promise<void> {
  const staged = new Map<string, string>();
  try {
    await mkdir(folder, { recursive: true });
    await write((name) => {
      const temporary = join(folder, `.${name}.${randomUUID()}.tmp`);
      staged.set(name, temporary);
      return temporary;
    });
    for (const name of last.toReversed()) await rm(join(folder, name), { force: true });
    await syncFolder(folder);
    const names = [...staged.keys()].filter((name) => !last.includes(name));
    for (const name of names) await put(name);
    for (const name of await readdir(folder)) {
      if (isStale(name) && !staged.has(name)) await rm(join(folder, name), { force: true });
    }
    await syncFolder(folder);
    for (const name of last.filter((each) => staged.has(each))) await put(name);
    await syncFolder(folder);
  } catch (error) {
    for (const temporary of staged.values()) await rm(temporary, { force: true }).catch(() => undefined);
    throw onDisk(folder, "write", error);
  }

  async function put(name: string): Promise<void> {
    await rename(staged.get(name) ?? "", join(folder, name));
  }
}
