// Paths for people: short where they lie in the current folder, whole elsewhere.
import { relative } from "node:path";

export function shown(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" ? "." : short.startsWith("..") ? path : short;
}
