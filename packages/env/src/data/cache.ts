// Task ← data: files fetched once and kept. A folder is complete when it has a manifest, which is written last and atomically;
// sizes and SHA-256 in it are checked before the files are used, once per taskset. A killed download is continued, never taken for complete.
import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import * as z from "zod";
import { download, type DownloadProgress, hashFile, sizeOf } from "./download.ts";
import { shown } from "./http.ts";
import { withLock } from "./lock.ts";
import { type DataMachine, isOffline } from "./machine.ts";

const CachedFile = z.strictObject({
  name: z.string(),
  url: z.string(),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const Manifest = z.strictObject({ version: z.literal(1), source: z.string(), files: z.array(CachedFile) });
type Manifest = z.infer<typeof Manifest>;
type CachedFile = z.infer<typeof CachedFile>;

export interface RemoteFile {
  /** In the folder. */
  readonly name: string;
  readonly url: string;
  readonly sha256: string | undefined;
}
export interface CacheRequest {
  readonly directory: string;
  /** What it is, for people: "openai/gsm8k, main, test". */
  readonly source: string;
  readonly list: () => Promise<readonly RemoteFile[]>;
  /** In the order of the files, where the caller knows them. */
  readonly sha256: readonly string[] | undefined;
  /** Where else it was looked for, for the error. */
  readonly tried: readonly string[];
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined;
  readonly machine: DataMachine;
  readonly signal: AbortSignal | undefined;
}

/** Paths of the files, fetched if they are not there yet. */
export async function cached(request: CacheRequest): Promise<readonly string[]> {
  const { directory, machine } = request;
  const found = await completeIn(request);
  if (found !== undefined) return found;
  if (isOffline(machine)) throw notHere(request);
  return await withLock(request, async () => {
    const meanwhile = await completeIn(request);
    if (meanwhile !== undefined) return meanwhile;
    const files = await fetchAll(request);
    await writeManifest(directory, "manifest.json", { version: 1, source: request.source, files });
    await rm(join(directory, "partial.json"), { force: true });
    return files.map(({ name }) => join(directory, name));
  });
}

async function fetchAll({
  directory,
  source,
  list,
  sha256,
  onProgress,
  machine,
  signal,
}: CacheRequest): Promise<CachedFile[]> {
  const remote = await list();
  if (sha256 !== undefined && sha256.length !== remote.length) {
    throw new HoneError(`${source} has ${remote.length} files, and ${sha256.length} checksums were given.`, {
      code: "checksum",
      hint: "Give one for each file, in order.",
    });
  }
  const before = await filesDone(directory);
  const done: CachedFile[] = [];
  for (const [index, { name, url, sha256: known }] of remote.entries()) {
    const expected = sha256?.[index] ?? known;
    const kept = before.find((file) => file.name === name && file.url === shown(url));
    const isKept = kept !== undefined && isExpected(kept, expected) && (await isIntact(directory, kept));
    if (isKept) done.push(kept);
    else {
      const path = join(directory, name);
      await rm(path, { force: true });
      const fetched = await download({ url, path, sha256: expected, onProgress, machine, signal });
      done.push({ name, url: shown(url), ...fetched });
    }
    await writeManifest(directory, "partial.json", { version: 1, source, files: done });
  }
  return done;
}

async function completeIn({ directory, sha256 }: CacheRequest): Promise<readonly string[] | undefined> {
  const manifest = await readManifest(directory, "manifest.json");
  if (manifest === undefined) return undefined;
  if (sha256 !== undefined && sha256.length !== manifest.files.length) return undefined;
  for (const [index, file] of manifest.files.entries()) {
    if (!isExpected(file, sha256?.[index]) || !(await isIntact(directory, file))) return undefined;
  }
  return manifest.files.map(({ name }) => join(directory, name));
}

/** Finished in an earlier, unfinished or damaged, state of the folder. */
async function filesDone(directory: string): Promise<readonly CachedFile[]> {
  const manifests = [await readManifest(directory, "partial.json"), await readManifest(directory, "manifest.json")];
  return manifests.flatMap((manifest) => manifest?.files ?? []);
}

function isExpected(file: CachedFile, sha256: string | undefined): boolean {
  return sha256 === undefined || sha256 === file.sha256;
}

async function isIntact(directory: string, { name, bytes, sha256 }: CachedFile): Promise<boolean> {
  const path = join(directory, name);
  return (await sizeOf(path)) === bytes && (await hashFile(path)).digest("hex") === sha256;
}

async function readManifest(directory: string, name: string): Promise<Manifest | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(directory, name), "utf8")));
  } catch {
    return undefined;
  }
}

async function writeManifest(directory: string, name: string, manifest: Manifest): Promise<void> {
  const temporary = join(directory, `${name}.new`);
  const file = await open(temporary, "w");
  try {
    await file.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(directory, name));
}

/** As the manifest writes them. */
export function checksums(sha256: string | readonly string[]): readonly string[] {
  return [sha256].flat().map((text) => {
    if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
    throw new HoneError(`"${text}" is not a SHA-256.`, {
      code: "data-option",
      hint: "It has 64 hexadecimal digits: sha256sum <file>",
    });
  });
}

function notHere({ source, directory, tried }: CacheRequest): HoneError {
  return new HoneError(`${source} is not on this machine, and HONE_OFFLINE is set.`, {
    code: "offline",
    hint: `Looked in:\n${[...tried, directory].map((place) => `  ${place}`).join("\n")}\nRun once without HONE_OFFLINE to fetch it, or put it in one of these places.`,
  });
}
