// Paths as callers write them: absolute in the sandbox's view, or below its working directory.
// A relative path never leaves the working directory. Symbolic links are the provider's business: only it sees the files.
import { posix } from "node:path";
import { sandboxError } from "./errors.ts";

/** Where commands start, and what relative paths are below. */
const workFolder = "/work";

/** The absolute path, without `.`, `..`, doubled or trailing slashes. */
export function resolvePath(path: string): string {
  if (path === "" || path.includes("\0")) {
    throw sandboxError("file-path", `${JSON.stringify(path)} is no path.`, {
      hint: "Give a name, such as notes/a.txt.",
    });
  }
  if (path.startsWith("/")) return withoutSlash(posix.normalize(`/${path.replace(/^\/+/, "")}`));
  const resolved = withoutSlash(posix.join(workFolder, path));
  if (isWithin(resolved, workFolder)) return resolved;
  throw sandboxError("file-path", `The relative path ${JSON.stringify(path)} leads out of ${workFolder}.`, {
    hint: "Write an absolute path if that is meant.",
  });
}

/** Whether an absolute, normal path is a folder or something in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
