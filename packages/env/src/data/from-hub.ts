// Task ← data: a Hugging Face dataset by its id. Looked for in a local folder first, then in the cache, then on the hub: its Parquet view, or one file of the repository.
// What is fetched stays as it is: tasks do not change under a run. Remove the cache folder to fetch anew.
import { join } from "node:path";
import { HoneError, type JsonObject, type Taskset } from "@hone/core";
import * as z from "zod";
import { cached, checksums, type RemoteFile } from "./cache.ts";
import type { DownloadProgress } from "./download.ts";
import { fromFiles, pathOf } from "./from-files.ts";
import { get, type GetOptions, shown, withRetries } from "./http.ts";
import { searchFolder } from "./local-folder.ts";
import { cacheDirectory, type DataMachine, hubEndpoint, pathPart, thisMachine } from "./machine.ts";
import { type DataFile, formatOf } from "./read-rows.ts";
import type { RowOptions } from "./row.ts";

export interface HubOptions<Fields> extends RowOptions {
  /** "openai/gsm8k" */
  readonly dataset: string;
  /** Needed where the dataset has several. */
  readonly config?: string;
  readonly split: string;
  /** One JSONL, JSON or Parquet file of the repository, instead of the Parquet view. */
  readonly file?: string;
  /** Of the file: a branch, tag or commit; "main" unless told. */
  readonly revision?: string;
  /** `<split>.jsonl` (or .json, .jsonl.gz, .parquet) here, or in a folder of the dataset's name here, is read instead. */
  readonly folder?: string | URL;
  readonly schema?: z.ZodType<Fields>;
  /** Of each file, in order. */
  readonly sha256?: string | readonly string[];
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
}

/** Environment variables: HONE_DATA, HONE_CACHE, HONE_OFFLINE, HF_ENDPOINT, HF_TOKEN. */
export function fromHub<Fields = JsonObject>(options: HubOptions<Fields>): Taskset<Fields> {
  return fromHubOn(thisMachine(), options);
}

export function fromHubOn<Fields>(machine: DataMachine, options: HubOptions<Fields>): Taskset<Fields> {
  checkOptions(options);
  return fromFiles(() => locate(machine, options), options.schema, options);
}

async function locate(machine: DataMachine, options: HubOptions<unknown>): Promise<readonly DataFile[]> {
  const { dataset, config, split, file, revision = "main", folder, sha256, onProgress, signal } = options;
  const request = { dataset, config, split, file };
  if (folder !== undefined) {
    const search = await searchFolder(pathOf(folder), true, request);
    if (search.found !== undefined) return [search.found];
    throw new HoneError(`${dataset} (${split}) is not in the folder given.`, {
      code: "no-data-file",
      hint: `Looked for:\n${search.tried.map((place) => `  ${place}`).join("\n")}`,
    });
  }
  const shared = machine.env["HONE_DATA"];
  const { found, tried } = shared ? await searchFolder(shared, false, request) : { found: undefined, tried: [] };
  if (found !== undefined) return [found];
  const leaf = file === undefined ? `${config ?? ""}--${split}` : `${revision}--${file}`;
  const paths = await cached({
    directory: join(cacheDirectory(machine), pathPart(dataset.replace("/", "--")), pathPart(leaf)),
    source: [dataset, config, file === undefined ? split : `${file} at ${revision}`].filter(Boolean).join(", "),
    list: () =>
      file === undefined ? parquetView(machine, options) : Promise.resolve([repositoryFile(machine, options)]),
    sha256: sha256 === undefined ? undefined : checksums(sha256),
    tried,
    onProgress,
    machine,
    signal,
  });
  return paths.map((path) => ({ path, format: formatOf(path) ?? "parquet" }));
}

function repositoryFile(
  machine: DataMachine,
  { dataset, file = "", revision = "main" }: HubOptions<unknown>,
): RemoteFile {
  const path = file.split("/").map(encodeURIComponent).join("/");
  const url = addressOf(machine, `datasets/${dataset}/resolve/${encodeURIComponent(revision)}/${path}`);
  return { name: pathPart(file.split("/").at(-1) ?? file), url, sha256: undefined };
}

/** Addresses of the split's Parquet files, in order. */
async function parquetView(machine: DataMachine, options: HubOptions<unknown>): Promise<readonly RemoteFile[]> {
  const { dataset, config, split, signal } = options;
  const view = addressOf(machine, `api/datasets/${dataset}/parquet`);
  const one = `${view}/${encodeURIComponent(config ?? "")}/${encodeURIComponent(split)}`;
  const urls =
    config === undefined
      ? chooseConfig(await getJson({ url: view, machine, signal }, Configs), options)
      : await getJson({ url: one, machine, signal }, Addresses);
  if (urls.length > 0) return urls.map((url, index) => ({ name: `${index}.parquet`, url, sha256: undefined }));
  throw new HoneError(`The hub has no rows of ${dataset}, split ${split}.`, { code: "no-such-split" });
}

const Addresses = z.array(z.url({ protocol: /^https?$/ }));
const Configs = z.record(z.string(), z.record(z.string(), Addresses));

function chooseConfig(configs: z.infer<typeof Configs>, { dataset, split }: HubOptions<unknown>): readonly string[] {
  const withSplit = Object.keys(configs).filter((name) => configs[name]?.[split] !== undefined);
  const name = withSplit.includes("default") ? "default" : withSplit.length === 1 ? withSplit[0] : undefined;
  const urls = name === undefined ? undefined : configs[name]?.[split];
  if (urls !== undefined) return urls;
  const all = Object.entries(configs).map(([config, splits]) => `  ${config}: ${Object.keys(splits).join(", ")}`);
  const problem = withSplit.length === 0 ? `no split ${split}` : `split ${split} in several configs`;
  throw new HoneError(`${dataset} has ${problem}.`, {
    code: "no-such-split",
    hint: `Its configs and splits:\n${all.join("\n")}`,
  });
}

async function getJson<T>(request: GetOptions, schema: z.ZodType<T>): Promise<T> {
  return await withRetries(request.machine, request.signal, async () => {
    const { response, done } = await get(request);
    try {
      const parsed = schema.safeParse(await response.json());
      if (parsed.success) return parsed.data;
    } catch (error) {
      request.signal?.throwIfAborted();
      if (HoneError.is(error)) throw error;
    } finally {
      done();
    }
    throw new HoneError(`${shown(request.url)} did not answer with a list of Parquet files.`, {
      code: "download-refused",
      hint: "Is HF_ENDPOINT a Hugging Face hub or a mirror of it?",
    });
  });
}

function addressOf(machine: DataMachine, path: string): string {
  const endpoint = hubEndpoint(machine);
  return `${endpoint.origin}${endpoint.pathname.replace(/\/$/, "")}/${path}`;
}

function checkOptions({ dataset, split, file, revision }: HubOptions<unknown>): void {
  const isId = /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(dataset);
  if (!isId) throw wrongOption(`"${dataset}" is not a dataset id.`, "For example: openai/gsm8k");
  if (split === "") throw wrongOption("The split has no name.", 'For example: split: "train"');
  if (revision !== undefined && file === undefined) {
    throw wrongOption("A revision can only be asked for together with a file.", "The Parquet view has one revision.");
  }
  if (file !== undefined && formatOf(file) === undefined) {
    throw wrongOption(`${file} is neither JSONL, JSON nor Parquet.`, "Gzip of JSONL and JSON is read too.");
  }
}

function wrongOption(message: string, hint: string): HoneError {
  return new HoneError(message, { code: "data-option", hint });
}
