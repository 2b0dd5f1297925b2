// What the host does inside a container by means of its shell: files, and the end of programs. POSIX shell and the tools that even the smallest images have.
// The container follows the paths, with the rights of its programs, so no link leads the host anywhere.
import { dirname } from "node:path/posix";
import { missingFile, sandboxError } from "../shared/errors.ts";
import { resolvePath } from "../shared/paths.ts";
import { markVariable } from "./arguments.ts";

/** Runs a script with parameters as $1 and so on. */
export type RunScript = (script: string, options: ScriptOptions) => Promise<ScriptResult>;
export interface ScriptOptions {
  readonly parameters: readonly string[];
  readonly input?: Uint8Array;
  readonly maxBytes: number;
}
export interface ScriptResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

// Exit codes that shells and tools do not use themselves.
const missing = 40;
const wrongKind = 41;
const longestList = 64 << 20;

export async function readFile(run: RunScript, path: string, maxBytes: number): Promise<Uint8Array> {
  const full = resolvePath(path);
  const script = `[ -e "$1" ] || exit ${missing}; [ -f "$1" ] || exit ${wrongKind}; exec head -c "$2" "$1"`;
  const result = await run(script, { parameters: [full, String(maxBytes + 1)], maxBytes: maxBytes + 1 });
  check(result, full, "file");
  if (result.stdout.length <= maxBytes) return result.stdout;
  throw sandboxError("file-too-large", `${full} has more than ${maxBytes} bytes.`, {
    hint: "Read a part of it with a command, or raise the provider's maxReadBytes.",
  });
}

export async function writeFile(run: RunScript, path: string, content: string | Uint8Array): Promise<void> {
  const full = resolvePath(path);
  const input = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const script = 'umask 022; mkdir -p "$1" && cat > "$2"';
  check(await run(script, { parameters: [dirname(full), full], input, maxBytes: 0 }), full, "file");
}

export async function listFolder(run: RunScript, path: string): Promise<readonly string[]> {
  const full = resolvePath(path);
  const script = `[ -e "$1" ] || exit ${missing}; [ -d "$1" ] || exit ${wrongKind}; cd "$1" || exit 1
[ -r . ] || { echo 'Permission denied' >&2; exit 1; }
for name in .* *; do
  case $name in .|..) continue;; esac
  if [ -L "$name" ]; then printf '%s\\0' "$name"
  elif [ -d "$name" ]; then printf '%s/\\0' "$name"
  elif [ -e "$name" ]; then printf '%s\\0' "$name"; fi
done`;
  const result = await run(script, { parameters: [full], maxBytes: longestList });
  check(result, full, "folder");
  return names(result.stdout).toSorted();
}

/** Paths of all regular files below /work. */
export async function workFiles(run: RunScript): Promise<readonly string[]> {
  const result = await run("exec find /work -type f -print0", { parameters: [], maxBytes: longestList });
  check(result, "/work", "folder");
  return names(result.stdout).toSorted();
}

/** Sends a signal to everything that carries a mark, until there is nothing new: children are born while one looks. */
export async function signalMarked(run: RunScript, mark: string, signal: "INT" | "TERM" | "KILL"): Promise<void> {
  const script = `for round in 1 2 3 4 5; do
  found=
  for folder in /proc/[0-9]*; do
    case "$(tr '\\0' '\\n' < "$folder/environ")" in
      *"$1"*) kill -"$2" "\${folder#/proc/}" && found=yes;;
    esac
  done
  [ "$2$found" = KILLyes ] || break
done 2>/dev/null; :`;
  await run(script, { parameters: [`${markVariable}=${mark}`, signal], maxBytes: 0 });
}

function names(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString().split("\0").slice(0, -1);
}

function check({ exitCode, stderr }: ScriptResult, path: string, kind: "file" | "folder"): void {
  if (exitCode === 0) return;
  if (exitCode === missing) throw missingFile(path);
  if (exitCode === wrongKind) throw sandboxError("file-kind", `${path} is not a ${kind}.`);
  const reason = stderr.trim().split("\n").at(-1)?.replace(/^.*: /, "");
  throw sandboxError("file-denied", `${path}: ${reason || `exit code ${exitCode}`}.`);
}
