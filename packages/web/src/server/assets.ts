// The built page. Read once: only files that are in the folder at the start exist, so no path of a request ever reaches the file system.
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { HoneError } from "@hone/core";

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** By path from the root of the site: "/index.html", "/assets/index-abc.js". */
export async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const assets = new Map<string, Asset>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = new Uint8Array(await readFile(path));
    const name = path.slice(folder.length).replaceAll("\\", "/");
    assets.set(name, { type, bytes, gzipped: new Uint8Array(gzipSync(bytes)) });
  }
  if (assets.has("/index.html")) return assets;
  throw new HoneError(`The page is not built: ${folder} has no index.html.`, {
    code: "not-built",
    hint: "Build it with: npx vite build packages/web",
  });
}
