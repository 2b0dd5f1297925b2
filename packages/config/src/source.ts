// Reading one file that a person named. What is missing is said with where it was looked for and what lies beside it.
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { HoneError } from "@hone/core";
import { nearest } from "./nearest.ts";

export interface SourceOptions {
  /** "configuration file": what the error calls it. */
  readonly what: string;
  /** Relative paths start here; the working directory by default. */
  readonly cwd?: string;
}

export async function readSource(path: string, { what, cwd = process.cwd() }: SourceOptions): Promise<string> {
  const full = resolve(cwd, path);
  try {
    return await readFile(full, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new HoneError(`There is no ${what} ${path}.`, {
        code: "config",
        hint: await lookedFor(full),
        cause: error,
      });
    }
    if (code === "EISDIR") {
      const hint = "Name a file inside it.";
      throw new HoneError(`The ${what} ${path} is a folder.`, { code: "config", hint, cause: error });
    }
    const hint = `Check that you may read ${full} (${code ?? "unknown error"}).`;
    throw new HoneError(`The ${what} ${path} cannot be read.`, { code: "config", hint, cause: error });
  }
}

async function lookedFor(full: string): Promise<string> {
  const beside = await readdir(dirname(full)).catch(() => []);
  const close = nearest(basename(full), beside);
  return `Looked for ${full}.${close === undefined ? "" : ` Beside it is \`${close}\`: did you mean that?`}`;
}
