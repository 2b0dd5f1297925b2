// Files as a spec holds them: text. Other bytes have no place there, and are refused rather than damaged.
import { sandboxError } from "./errors.ts";

export async function textFiles(
  paths: readonly string[],
  read: (path: string) => Promise<Uint8Array>,
): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const path of paths) {
    const bytes = await read(path);
    try {
      files[path] = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw sandboxError("file-kind", `${path} is not text, so a snapshot cannot hold it.`, {
        hint: "Remove it before the snapshot, or take it out with read.",
      });
    }
  }
  return files;
}
