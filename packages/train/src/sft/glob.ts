// Paths with * ? and ** to the files they mean, sorted, so that the order of a run does not depend on the disk. Node 20 has no glob of its own.
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { HoneError } from "@hone/core";

/** Absolute paths. A pattern that means no file is a mistake, not nothing. */
export async function expandPath(pattern: string, cwd: string): Promise<string[]> {
  if (!/[*?]/.test(pattern)) {
    const path = resolve(cwd, pattern);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) return [path];
    throw new HoneError(`There is no file ${pattern}.`, {
      code: "no-data",
      hint: found === undefined ? "Paths start from the current folder." : `It is a folder: write ${pattern}/*.jsonl.`,
    });
  }
  const parts = pattern.split("/");
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => /[*?]/.test(part)),
  );
  const start = fixed.length === 1 && fixed[0] === "" ? "/" : resolve(cwd, fixed.join("/"));
  const files = await matching(start, parts.slice(fixed.length));
  if (files.length > 0) return [...new Set(files)].sort();
  throw new HoneError(`No file matches ${pattern}.`, { code: "no-data", hint: "Paths start from the current folder." });
}

async function matching(folder: string, parts: readonly string[]): Promise<string[]> {
  const [part = "", ...rest] = parts;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = part === "**" ? await matching(folder, rest) : [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isFolderAt(path)));
    if (part === "**") {
      if (entry.isDirectory() && !entry.name.startsWith(".")) found.push(...(await matching(path, parts)));
    } else if (!patternOf(part).test(entry.name)) continue;
    else if (rest.length > 0) found.push(...(isFolder ? await matching(path, rest) : []));
    else if (!isFolder) found.push(path);
  }
  return found;
}

async function isFolderAt(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** A leading dot is matched by a dot only. */
function patternOf(part: string): RegExp {
  const escaped = part.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const source = escaped.replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
  return new RegExp(`^${/^[*?]/.test(part) ? "(?!\\.)" : ""}${source}$`, "u");
}
