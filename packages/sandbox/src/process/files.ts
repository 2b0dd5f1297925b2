// Files of an unconfined sandbox, for the host to read and write: the names /work and /tmp stand for two folders in the sandbox's own.
// Links that lead out of them are refused. That keeps honest mistakes in; it is no protection against a program that swaps links meanwhile.
import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { missingFile, sandboxError, systemCode } from "../shared/errors.ts";
import { isWithin, resolvePath } from "../shared/paths.ts";

export class HostFiles {
  readonly #folder: string;
  readonly #maxReadBytes: number;

  constructor(folder: string, maxReadBytes: number) {
    this.#folder = folder;
    this.#maxReadBytes = maxReadBytes;
  }

  /** The host's path of what is called `path` inside, which need not exist. */
  locate(path: string): string {
    const full = resolvePath(path);
    if (["/work", "/tmp"].some((root) => isWithin(full, root))) return join(this.#folder, full);
    throw sandboxError("file-path", `${full} is neither in /work nor in /tmp.`, {
      hint: "A sandbox without isolation keeps its files there; commands can reach the others.",
    });
  }

  async read(path: string): Promise<Uint8Array> {
    const real = await this.#real(path);
    const found = await stat(real);
    if (!found.isFile()) throw sandboxError("file-kind", `${path} is not a file.`);
    if (found.size > this.#maxReadBytes) {
      throw sandboxError("file-too-large", `${path} has more than ${this.#maxReadBytes} bytes.`);
    }
    return readFile(real).catch((error: unknown) => this.#fail(path, error));
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const target = this.locate(path);
    try {
      await this.#checkNearest(dirname(target));
      await mkdir(dirname(target), { recursive: true });
      // The last part may be a link too, also one to nothing.
      const real = await realpath(target).catch((error: unknown) => {
        if (systemCode(error) === "ENOENT") return target;
        throw error;
      });
      this.#checkInside(real, path);
      await writeFile(real, content);
    } catch (error) {
      this.#fail(path, error);
    }
  }

  async list(path: string): Promise<readonly string[]> {
    const real = await this.#real(path);
    if (!(await stat(real)).isDirectory()) throw sandboxError("file-kind", `${path} is not a folder.`);
    const entries = await readdir(real, { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
  }

  /** Every regular file below /work, by its path relative to it. */
  async workFiles(): Promise<readonly string[]> {
    const root = join(this.#folder, "work");
    const entries = await readdir(root, { withFileTypes: true, recursive: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .toSorted();
  }

  async #real(path: string): Promise<string> {
    const real = await realpath(this.locate(path)).catch((error: unknown) => this.#fail(path, error));
    this.#checkInside(real, path);
    return real;
  }

  /** Of a folder that is still to be made: the part that exists must not lead out. */
  async #checkNearest(folder: string): Promise<void> {
    const real = await realpath(folder).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (real === undefined) await this.#checkNearest(dirname(folder));
    else this.#checkInside(real, folder);
  }

  #checkInside(real: string, path: string): void {
    if (["work", "tmp"].some((root) => isWithin(real, join(this.#folder, root)))) return;
    throw sandboxError("file-path", `${path} leads out of the sandbox's folder.`);
  }

  #fail(path: string, error: unknown): never {
    const code = systemCode(error);
    if (code === "ENOENT") throw missingFile(path);
    if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    throw sandboxError("file-denied", `${path}: ${code}.`, { cause: error });
  }
}
