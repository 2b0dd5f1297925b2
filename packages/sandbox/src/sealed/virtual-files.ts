// The files of a Pyodide sandbox as the host holds them: /work and /tmp in memory. Interpreters start from them, tell what their programs changed and are
// told what changed elsewhere; reading, writing and listing from outside never waits for a program. Nothing here touches the host's disk, so no path and
// no link can lead there.
import type { FileEntry } from "../child/frames.ts";
import { missingFile, sandboxError } from "../shared/errors.ts";
import { isWithin, resolvePath } from "../shared/paths.ts";

const roots = ["/work", "/tmp"] as const;
/** What a file, folder or link counts beside its content; the same in the interpreter. */
const entryBytes = 1024;
const mostLinks = 40;

/** In the form in which interpreters are told. */
export interface Change {
  readonly changed: readonly FileEntry[];
  readonly removed: readonly string[];
  /** Of the changed files, in order. */
  readonly contents: Uint8Array;
}

interface Held {
  readonly entry: FileEntry;
  readonly content: Uint8Array;
}

const none = new Uint8Array(0);

export class VirtualFiles {
  readonly #files = new Map<string, Held>();
  readonly #quotaBytes: number;

  constructor(quotaBytes: number) {
    this.#quotaBytes = quotaBytes;
    for (const path of ["/", ...roots])
      this.#files.set(path, { entry: { path, kind: "folder", bytes: 0 }, content: none });
  }

  read(given: string, maxBytes: number): Uint8Array {
    const path = this.#real(resolvePath(given));
    const held = this.#files.get(path);
    if (held === undefined) throw missingFile(given);
    if (held.entry.kind !== "file") throw sandboxError("file-kind", `${given} is no file.`);
    if (held.content.length > maxBytes) {
      const size = `${held.content.length} bytes, and at most ${maxBytes} are read`;
      throw sandboxError("file-too-large", `${given} has ${size}.`);
    }
    return new Uint8Array(held.content);
  }

  /** Gives what interpreters are to be told. */
  write(given: string, content: Uint8Array): Change {
    const path = this.#real(resolvePath(given));
    if (!roots.some((root) => isWithin(path, root))) {
      throw sandboxError("file-denied", `${given} cannot be written: only /work and /tmp can.`);
    }
    const before = this.#files.get(path);
    if (before !== undefined && before.entry.kind !== "file") throw sandboxError("file-kind", `${given} is a folder.`);
    const folders = this.#missingFolders(path, given);
    const growth = content.length - (before?.content.length ?? -entryBytes) + folders.length * entryBytes;
    if (growth > 0 && this.#usedBytes() + growth > this.#quotaBytes) {
      throw sandboxError("file-denied", `${given} does not fit: the sandbox's disk is full.`);
    }
    const changed: FileEntry[] = folders.map((folder) => ({ path: folder, kind: "folder", bytes: 0 }));
    changed.push({ path, kind: "file", bytes: content.length });
    const change = { changed, removed: [], contents: new Uint8Array(content) };
    this.apply(change);
    return change;
  }

  list(given: string): readonly string[] {
    const path = this.#real(resolvePath(given));
    const held = this.#files.get(path);
    if (held === undefined) throw missingFile(given);
    if (held.entry.kind !== "folder") throw sandboxError("file-kind", `${given} is no folder.`);
    const start = path === "/" ? "/" : `${path}/`;
    const names: string[] = [];
    for (const { entry } of this.#files.values()) {
      const name = entry.path.slice(start.length);
      if (name === "" || !entry.path.startsWith(start) || name.includes("/")) continue;
      names.push(entry.kind === "folder" ? `${name}/` : name);
    }
    return names.toSorted();
  }

  /** Takes over what was changed elsewhere; other places than /work and /tmp are not believed. */
  apply({ changed, removed, contents }: Change): void {
    for (const path of removed) if (isInside(path)) this.#files.delete(path);
    let at = 0;
    for (const entry of changed) {
      // A copy (`slice` of a Buffer is none): what came is a part of a larger buffer that would otherwise stay.
      const content = new Uint8Array(contents.subarray(at, (at += entry.bytes)));
      if (isInside(entry.path)) this.#files.set(entry.path, { entry, content });
    }
  }

  /** Everything, for an interpreter that starts; folders before what is in them. */
  all(): Change {
    const isRoot = (path: string): boolean => path === "/" || roots.some((root) => path === root);
    const files = [...this.#files.values()]
      .filter(({ entry }) => !isRoot(entry.path))
      .toSorted((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
    return {
      changed: files.map(({ entry }) => entry),
      removed: [],
      contents: Buffer.concat(files.map(({ content }) => content)),
    };
  }

  /** Paths of the files of /work. */
  work(): readonly string[] {
    return [...this.#files]
      .filter(([path, { entry }]) => entry.kind === "file" && isWithin(path, "/work"))
      .map(([path]) => path);
  }

  /** Where a path leads when links are followed. What is not there yet stays as it is written. */
  #real(path: string): string {
    let parts = path.split("/").filter((part) => part !== "");
    let real = "/";
    for (let links = 0; parts.length > 0;) {
      const [part = "", ...rest] = parts;
      const next = part === ".." ? parent(real) : part === "." ? real : child(real, part);
      const target = this.#files.get(next)?.entry.target;
      if (target === undefined) {
        real = next;
        parts = rest;
        continue;
      }
      if (++links > mostLinks) throw sandboxError("file-denied", `${path}: too many links, one after the other.`);
      if (target.startsWith("/")) real = "/";
      parts = [...target.split("/").filter((piece) => piece !== ""), ...rest];
    }
    return real;
  }

  #missingFolders(path: string, given: string): readonly string[] {
    const missing: string[] = [];
    for (let folder = parent(path); ; folder = parent(folder)) {
      const kind = this.#files.get(folder)?.entry.kind;
      if (kind === "folder") return missing.toReversed();
      if (kind !== undefined) throw sandboxError("file-kind", `${given}: ${folder} is no folder.`);
      missing.push(folder);
    }
  }

  #usedBytes(): number {
    let total = 0;
    for (const { content } of this.#files.values()) total += entryBytes + content.length;
    return total;
  }
}

/** Below one of the roots, and written in the normal way. */
function isInside(path: string): boolean {
  return roots.some((root) => path !== root && isWithin(path, root)) && resolvePath(path) === path;
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function child(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
