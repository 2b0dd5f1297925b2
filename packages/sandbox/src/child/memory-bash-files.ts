// The files of the in-memory shell: just-bash's own file system, watched for what changes in /work and /tmp, and limited in the number of its entries.
// Told apart by a fingerprint of the content, so that only what is different travels to the host.
import { createHash } from "node:crypto";
import type { InMemoryFs } from "just-bash";
import type { FileEntry } from "./frames.ts";

const roots = ["/work", "/tmp"] as const;
const mebibyte = 1 << 20;
/** What a file, folder or link counts against the disk beside its content; the same on the host. */
const entryBytes = 1024;
/** Methods that change something at the paths given first. */
const changing = new Set(
  "writeFile writeFileSync appendFile mkdir mkdirSync rm cp mv symlink link chmod utimes".split(" "),
);

export interface ShellChange {
  readonly changed: readonly FileEntry[];
  readonly removed: readonly string[];
  /** Of the changed files, in order. */
  readonly contents: Uint8Array;
}

export class ShellFiles {
  /** What the shell is given. */
  readonly fs: InMemoryFs;
  readonly #inner: InMemoryFs;
  readonly #mostEntries: number;
  readonly #known = new Map<string, string>();
  readonly #touched = new Set<string>();
  #callsSinceCount = 0;
  #entries = 0;

  constructor(inner: InMemoryFs, diskMb: number) {
    this.#inner = inner;
    this.#mostEntries = (diskMb * mebibyte) / entryBytes;
    for (const root of roots) inner.mkdirSync(root, { recursive: true });
    this.fs = new Proxy(inner, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || typeof name !== "string") return value;
        return (...parameters: unknown[]): unknown => {
          if (changing.has(name)) this.#note(name, parameters);
          return Reflect.apply(value, target, parameters) as unknown;
        };
      },
    });
  }

  async isFolder(path: string): Promise<boolean> {
    return this.#inner.stat(path).then(
      ({ isDirectory }) => isDirectory,
      () => false,
    );
  }

  /** What is different from the last time; undefined if nothing is. */
  async changes(): Promise<ShellChange | undefined> {
    if (this.#touched.size === 0) return undefined;
    const changed: FileEntry[] = [];
    const contents: Uint8Array[] = [];
    const current = new Set(this.#inner.getAllPaths().filter(isInside));
    for (const path of [...current].toSorted()) {
      if (this.#known.has(path) && !this.#isTouched(path)) continue;
      const { entry, content } = await this.#look(path);
      const print = `${entry.kind} ${entry.target ?? createHash("sha1").update(content).digest("hex")}`;
      if (this.#known.get(path) === print) continue;
      this.#known.set(path, print);
      changed.push(entry);
      contents.push(content);
    }
    const removed = [...this.#known.keys()].filter((path) => !current.has(path));
    for (const path of removed) this.#known.delete(path);
    this.#touched.clear();
    if (changed.length + removed.length === 0) return undefined;
    return { changed, removed, contents: Buffer.concat(contents) };
  }

  /** Takes over what changed elsewhere. It counts as known, and is not told back. */
  async apply({ changed, removed }: Pick<ShellChange, "changed" | "removed">, contents: Uint8Array): Promise<void> {
    for (const path of removed) await this.#inner.rm(path, { recursive: true, force: true });
    let at = 0;
    for (const { path, kind, bytes, target = "" } of changed) {
      const content = contents.slice(at, (at += bytes));
      this.#touched.add(path);
      if (kind === "folder") await this.#inner.mkdir(path, { recursive: true });
      else if (kind === "file") await this.#inner.writeFile(path, content);
      else {
        await this.#inner.rm(path, { recursive: true, force: true });
        await this.#inner.symlink(target, path);
      }
    }
    await this.changes();
  }

  async #look(path: string): Promise<{ readonly entry: FileEntry; readonly content: Uint8Array }> {
    const none = new Uint8Array(0);
    const stat = await this.#inner.lstat(path);
    if (stat.isDirectory) return { entry: { path, kind: "folder", bytes: 0 }, content: none };
    if (stat.isSymbolicLink) {
      const target = await this.#inner.readlink(path);
      return { entry: { path, kind: "link", bytes: 0, target }, content: none };
    }
    const content = await this.#inner.readFileBuffer(path);
    return { entry: { path, kind: "file", bytes: content.length }, content };
  }

  #note(name: string, parameters: readonly unknown[]): void {
    // Only the paths that are named: just-bash replaces a link when it is written to, so nothing changes behind one.
    for (const path of parameters.slice(0, 2)) {
      if (typeof path === "string" && path.startsWith("/")) this.#touched.add(this.#inner.resolvePath("/", path));
    }
    if (this.#entries + ++this.#callsSinceCount <= this.#mostEntries || name === "rm") return;
    this.#entries = this.#inner.getAllPaths().length;
    this.#callsSinceCount = 0;
    if (this.#entries > this.#mostEntries) throw new Error("ENOSPC: no space left on device");
  }

  #isTouched(path: string): boolean {
    for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) if (this.#touched.has(at)) return true;
    return false;
  }
}

function isInside(path: string): boolean {
  return roots.some((root) => path.startsWith(`${root}/`));
}
