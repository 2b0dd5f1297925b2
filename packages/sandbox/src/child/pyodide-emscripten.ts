// The part of Emscripten's runtime that the Pyodide child touches, as types: its memory, its file system and the few functions of the interpreter.
// Pyodide declares these as `any`; the exact version is pinned, so what is written here is what is there.

export interface PyodideModule {
  readonly FS: FileSystem;
  readonly HEAPU8: Uint8Array;
  readonly HEAP8: Int8Array;
  readonly HEAPU32: Uint32Array;
  /** Address of the switch that makes the interpreter ask for signals. */
  readonly _Py_EMSCRIPTEN_SIGNAL_HANDLING: number;
  stackSave(): number;
  stackRestore(pointer: number): void;
  stringToNewUTF8(text: string): number;
  /** Where the end of the used memory is written down. */
  _emscripten_get_sbrk_ptr(): number;
  _PyRun_SimpleStringFlags(text: number, flags: number): number;
}

export interface FileSystem {
  readonly root: FileNode;
  readonly filesystems: { readonly MEMFS: { readonly ops_table: OperationTables } };
  readonly ErrnoError: new (errno: number) => Error & { readonly errno: number };
  /** By file descriptor. */
  streams: (FileStream | null)[];
  currentPath: string;
  mkdirTree(path: string): void;
  mount(type: unknown, options: object, path: string): FileNode;
  lookupPath(path: string, options: { readonly follow: boolean }): { readonly node: FileNode };
  makedev(major: number, minor: number): number;
  registerDevice(device: number, operations: DeviceOperations): void;
  mkdev(path: string, mode: number, device: number): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  open(path: string, flags: number): FileStream;
  writeFile(path: string, content: Uint8Array): void;
  symlink(target: string, path: string): void;
  isFile(mode: number): boolean;
  isDir(mode: number): boolean;
  isLink(mode: number): boolean;
  chdir(path: string): void;
}

export interface FileNode {
  readonly id: number;
  readonly name: string;
  readonly mode: number;
  /** Itself, at the root of a file system. */
  readonly parent: FileNode;
  readonly mount: object;
  readonly node_ops: NodeOperations;
  /** Of a file the bytes, of which `usedBytes` count; of a folder its nodes by name. */
  readonly contents: Uint8Array | Record<string, FileNode>;
  readonly usedBytes: number;
  readonly link: string;
}

export interface FileStream {
  fd: number;
  readonly node: FileNode;
  readonly shared: object;
}

export interface DeviceOperations {
  open(stream: FileStream): void;
  read(stream: FileStream, buffer: Int8Array, offset: number, length: number): number;
  write(stream: FileStream, buffer: Int8Array, offset: number, length: number): number;
}

/** MEMFS looks its operations up in these tables at every call, so replacing an entry replaces it for all files. */
export interface OperationTables {
  readonly dir: { readonly node: NodeOperations };
  readonly file: { readonly node: NodeOperations; readonly stream: StreamOperations };
  readonly link: { readonly node: NodeOperations };
}
export interface NodeOperations {
  setattr: (node: FileNode, attributes: { readonly size?: number; readonly mode?: number }) => void;
  mknod?: (parent: FileNode, name: string, mode: number, device: number) => FileNode;
  symlink?: (parent: FileNode, name: string, target: string) => FileNode;
  rename?: (node: FileNode, folder: FileNode, name: string) => void;
  unlink?: (parent: FileNode, name: string) => void;
  rmdir?: (parent: FileNode, name: string) => void;
}
export interface StreamOperations {
  write: (
    stream: FileStream,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
    canOwn?: boolean,
  ) => number;
}

/** Emscripten's numbers for errors. */
export const errno = {
  EACCES: 2,
  EINTR: 27,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  EISDIR: 31,
  EROFS: 69,
  ELOOP: 32,
  ENAMETOOLONG: 37,
} as const;

export interface WebAssemblyLike {
  instantiate(module: unknown, imports?: Readonly<Record<string, Record<string, unknown>>>): Promise<unknown>;
  readonly Memory: { readonly prototype: MemoryLike };
}
export interface MemoryLike {
  readonly buffer: ArrayBuffer;
  grow: (this: MemoryLike, pages: number) => number;
}

/** Declared here because the types of Node do not have it and those of browsers are not ours. */
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyLike }).WebAssembly;
