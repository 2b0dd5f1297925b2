// Files of a sandbox, read and written by the sandbox itself: a small script of the supervisor's shell, run with the sandbox's own rights in its
// own view. The host never follows a path of the sandbox, so no link and no `..` can lead it anywhere.
import { dirname } from "node:path/posix";
import { missingFile, sandboxError } from "../shared/errors.ts";
import { resolvePath } from "../shared/paths.ts";
import { quote } from "../shared/quote.ts";

/** Runs a script inside, with `input` as its standard input. */
export type RunScript = (
  script: string,
  options: { readonly input?: Uint8Array; readonly maxBytes: number },
) => Promise<ScriptResult>;

export interface ScriptResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly isCut: boolean;
  readonly stderr: string;
}

// Exit codes of the scripts; bash and the programs they use give 1 and 2.
const missing = 40;
const wrongKind = 41;
const longestList = 64 << 20;

export async function readFile(run: RunScript, path: string, maxBytes: number): Promise<Uint8Array> {
  const full = resolvePath(path);
  const name = quote(full);
  const script = `[[ -e ${name} ]] || exit ${missing}\n[[ -f ${name} ]] || exit ${wrongKind}\nexec head -c ${maxBytes + 1} ${name}`;
  const result = await run(script, { maxBytes });
  if (result.exitCode === wrongKind) throw sandboxError("file-kind", `${full} is not a file.`);
  check(result, full);
  if (!result.isCut && result.stdout.length <= maxBytes) return result.stdout;
  throw sandboxError("file-too-large", `${full} has more than ${maxBytes} bytes.`, {
    hint: "Read a part of it with a command, or raise the provider's maxReadBytes.",
  });
}

export interface FileContent {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Writes all of them in one go; folders on the way are made. */
export async function writeFiles(run: RunScript, files: readonly FileContent[]): Promise<void> {
  const contents = files.map(({ path, content }) => ({
    path: resolvePath(path),
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  }));
  const folders = [...new Set(contents.map(({ path }) => dirname(path)))].filter((folder) => folder !== "/work");
  const lines = [
    "umask 022",
    ...inBatches(folders).map((batch) => `mkdir -p ${batch.map(quote).join(" ")} || exit`),
    // Each takes exactly its bytes of what the one standard input still holds.
    ...contents.map(({ path, bytes }) => `head -c ${bytes.length} >${quote(path)} || exit`),
  ];
  const input = Buffer.concat(contents.map(({ bytes }) => bytes));
  check(await run(lines.join("\n"), { input, maxBytes: 0 }), contents.map(({ path }) => path).join(", "));
}

export async function listFolder(run: RunScript, path: string): Promise<readonly string[]> {
  const full = resolvePath(path);
  const name = quote(full);
  const script = `[[ -e ${name} ]] || exit ${missing}
[[ -d ${name} ]] || exit ${wrongKind}
cd ${name} || exit
[[ -r . ]] || { echo 'Permission denied' >&2; exit 1; }
shopt -s nullglob dotglob
for entry in *; do
  [[ -d $entry && ! -L $entry ]] && entry+=/
  printf '%s\\0' "$entry"
done`;
  const result = await run(script, { maxBytes: longestList });
  if (result.exitCode === wrongKind) throw sandboxError("file-kind", `${full} is not a folder.`);
  check(result, full);
  if (result.isCut) throw sandboxError("file-too-large", `${full} has too many names to list.`);
  return namesIn(result.stdout).toSorted();
}

/** Every regular file below /work, by its path relative to it. */
export async function workFiles(run: RunScript): Promise<readonly string[]> {
  const script = `shopt -s globstar nullglob dotglob
for entry in **; do [[ -f $entry && ! -L $entry ]] && printf '%s\\0' "$entry"; done
:`;
  const result = await run(script, { maxBytes: longestList });
  check(result, "/work");
  return namesIn(result.stdout).toSorted();
}

function namesIn(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString("utf8").split("\0").slice(0, -1);
}

function check({ exitCode, stderr }: ScriptResult, path: string): void {
  if (exitCode === 0) return;
  if (exitCode === missing) throw missingFile(path);
  const [reason = ""] = stderr.trim().split("\n").slice(-1);
  throw sandboxError("file-denied", `${path}: ${reason.replace(/^.*: /, "") || `exit code ${exitCode}`}.`);
}

function inBatches(names: readonly string[], size = 500): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, index) =>
    names.slice(index * size, (index + 1) * size),
  );
}
