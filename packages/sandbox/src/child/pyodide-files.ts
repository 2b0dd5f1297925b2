// The files of a Pyodide sandbox: all in memory, /work and /tmp writable up to a quota, the rest (Python's library) read-only, so that no program can leave
// anything for the next one but files. It also knows what changed since the last time it was asked, for the host's copy.
import {
  errno,
  type FileNode,
  type FileSystem,
  type NodeOperations,
  type OperationTables,
} from "./pyodide-emscripten.ts";
import type { FileEntry } from "./frames.ts";

const writable = ["/work", "/tmp"] as const;
/** What a file, folder or link counts beside its content, so that a million empty files are not free. */
const nodeBytes = 1024;
/** Deeper trees and longer names than any task needs only cost time to walk. */
const deepest = 100;
const longestName = 255;

export interface FileChanges {
  readonly changed: readonly FileEntry[];
  readonly removed: readonly string[];
  /** The contents of the changed files, in order. */
  readonly contents: Uint8Array;
}

export class SandboxFiles {
  readonly #fs: FileSystem;
  readonly #mounts = new Set<object>();
  readonly #roots: (readonly [string, FileNode])[] = [];
  readonly #quotaBytes: number;
  /** At least what is used: growth is added, and a recount is made when it seems to be too much. */
  #countedBytes = 0;
  #versionOf = new WeakMap<FileNode, number>();
  /** Counts changes of any kind. */
  #version = 0;
  #toldVersion = 0;
  #known = new Map<string, { readonly node: FileNode; readonly version: number }>();

  constructor(fs: FileSystem, quotaBytes: number) {
    this.#fs = fs;
    this.#quotaBytes = quotaBytes;
    for (const path of writable) {
      fs.mkdirTree(path);
      fs.mount(fs.filesystems.MEMFS, {}, path);
      const { node } = fs.lookupPath(path, { follow: true });
      this.#mounts.add(node.mount);
      this.#roots.push([path, node]);
    }
    this.#guard(fs.filesystems.MEMFS.ops_table);
  }

  /** What is different from the last time; undefined if nothing is, or if it is more than `maxBytes`. */
  changes(maxBytes = Infinity): FileChanges | undefined {
    if (this.#version === this.#toldVersion) return undefined;
    const current = new Map<string, { readonly node: FileNode; readonly version: number }>();
    for (const [path, root] of this.#roots) this.#walk(path, root, current);
    const changed: FileEntry[] = [];
    const contents: Uint8Array[] = [];
    for (const [path, { node, version }] of current) {
      const before = this.#known.get(path);
      if (before?.node === node && before.version === version) continue;
      const entry = this.#entry(path, node);
      changed.push(entry);
      if (entry.kind === "file") contents.push(bytesOf(node));
    }
    const removed = [...this.#known.keys()].filter((path) => !current.has(path));
    if (contents.reduce((sum, { length }) => sum + length, 0) > maxBytes) return undefined;
    this.#known = current;
    this.#toldVersion = this.#version;
    return { changed, removed, contents: Buffer.concat(contents) };
  }

  /** Takes over what changed elsewhere. It counts as known, and is not told back. */
  apply(change: Pick<FileChanges, "changed" | "removed">, contents: Uint8Array): void {
    for (const path of change.removed.toReversed()) this.#quietly(() => this.#remove(path));
    let at = 0;
    for (const entry of change.changed) {
      const content = contents.slice(at, (at += entry.bytes));
      this.#quietly(() => this.#put(entry, content));
    }
    this.changes();
  }

  #put({ path, kind, target = "" }: FileEntry, content: Uint8Array): void {
    const before = this.#find(path);
    if (kind === "folder" && before !== undefined && this.#fs.isDir(before.mode)) return;
    if (before !== undefined && (kind !== "file" || !this.#fs.isFile(before.mode))) this.#remove(path);
    if (kind === "folder") this.#fs.mkdirTree(path);
    else if (kind === "link") this.#fs.symlink(target, path);
    else this.#fs.writeFile(path, content);
  }

  #remove(path: string): void {
    const node = this.#find(path);
    if (node === undefined) return;
    if (!this.#fs.isDir(node.mode)) {
      this.#fs.unlink(path);
      return;
    }
    for (const name of Object.keys(node.contents)) this.#remove(`${path}/${name}`);
    this.#fs.rmdir(path);
  }

  #find(path: string): FileNode | undefined {
    try {
      return this.#fs.lookupPath(path, { follow: false }).node;
    } catch {
      return undefined;
    }
  }

  /** A folder that a job sits in, a disk that is full in between: the rest of the change still counts. */
  #quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof this.#fs.ErrnoError)) throw error;
    }
  }

  #entry(path: string, node: FileNode): FileEntry {
    if (this.#fs.isDir(node.mode)) return { path, kind: "folder", bytes: 0 };
    if (this.#fs.isLink(node.mode)) return { path, kind: "link", bytes: 0, target: node.link };
    return { path, kind: "file", bytes: node.usedBytes };
  }

  #walk(
    path: string,
    folder: FileNode,
    into: Map<string, { readonly node: FileNode; readonly version: number }>,
  ): void {
    for (const [name, node] of Object.entries(folder.contents as Record<string, FileNode>)) {
      const inner = `${path}/${name}`;
      into.set(inner, { node, version: this.#versionOf.get(node) ?? 0 });
      if (this.#fs.isDir(node.mode)) this.#walk(inner, node, into);
    }
  }

  #guard(tables: OperationTables): void {
    const stream = tables.file.stream;
    const write = stream.write;
    stream.write = (target, buffer, offset, length, position, canOwn) => {
      const { node } = target;
      this.#allow(node);
      if (length > 0) this.#grow(position + length - node.usedBytes);
      this.#touch(node);
      return write(target, buffer, offset, length, position, canOwn);
    };
    for (const operations of [tables.dir.node, tables.file.node, tables.link.node]) this.#guardNodes(operations);
  }

  #guardNodes(operations: NodeOperations): void {
    const { setattr, mknod, symlink, rename, unlink, rmdir } = operations;
    operations.setattr = (node, attributes) => {
      this.#allow(node);
      if (attributes.size !== undefined) this.#grow(attributes.size - node.usedBytes);
      this.#touch(node);
      setattr(node, attributes);
    };
    if (!mknod || !symlink || !rename || !unlink || !rmdir) return;
    operations.mknod = (parent, name, mode, device) => {
      this.#allowNew(parent, name);
      return mknod(parent, name, mode, device);
    };
    operations.symlink = (parent, name, target) => {
      this.#allowNew(parent, name);
      return symlink(parent, name, target);
    };
    operations.rename = (node, folder, name) => {
      this.#allow(node);
      this.#allow(folder);
      this.#checkPlace(folder, name, this.#height(node));
      this.#touch(node);
      rename(node, folder, name);
    };
    operations.unlink = (parent, name) => {
      this.#allow(parent);
      this.#version++;
      unlink(parent, name);
    };
    operations.rmdir = (parent, name) => {
      this.#allow(parent);
      this.#version++;
      rmdir(parent, name);
    };
  }

  #allowNew(parent: FileNode, name: string): void {
    this.#allow(parent);
    this.#checkPlace(parent, name, 1);
    this.#grow(nodeBytes);
    this.#version++;
  }

  /** Folders are JavaScript objects inside: `__proto__` would not be an entry but the object's prototype. */
  #checkPlace(parent: FileNode, name: string, height: number): void {
    if (name === "__proto__") throw new this.#fs.ErrnoError(errno.EACCES);
    let depth = height;
    for (let folder = parent; folder !== folder.parent; folder = folder.parent) depth++;
    if (depth > deepest || name.length > longestName) throw new this.#fs.ErrnoError(errno.ENAMETOOLONG);
  }

  #height(node: FileNode): number {
    if (!this.#fs.isDir(node.mode)) return 1;
    const inner = Object.values(node.contents as Record<string, FileNode>).map((child) => this.#height(child));
    return 1 + inner.reduce((highest, height) => Math.max(highest, height), 0);
  }

  #allow(node: FileNode): void {
    if (!this.#mounts.has(node.mount)) throw new this.#fs.ErrnoError(errno.EROFS);
  }

  #touch(node: FileNode): void {
    this.#versionOf.set(node, ++this.#version);
  }

  #grow(bytes: number): void {
    if (bytes <= 0) return;
    if (this.#countedBytes + bytes > this.#quotaBytes) this.#countedBytes = this.#recount();
    if (this.#countedBytes + bytes > this.#quotaBytes) throw new this.#fs.ErrnoError(errno.ENOSPC);
    this.#countedBytes += bytes;
  }

  #recount(): number {
    const current = new Map<string, { readonly node: FileNode; readonly version: number }>();
    for (const [path, root] of this.#roots) this.#walk(path, root, current);
    let total = 0;
    for (const { node } of current.values()) total += nodeBytes + (this.#fs.isFile(node.mode) ? node.usedBytes : 0);
    return total;
  }
}

/** As written by a program the bytes may be an Int8Array. */
function bytesOf({ contents, usedBytes }: FileNode): Uint8Array {
  const { buffer, byteOffset } = contents as Uint8Array;
  return new Uint8Array(buffer, byteOffset, usedBytes);
}
