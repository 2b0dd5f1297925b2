// Starts a Node process for programs that must reach nothing: an empty environment, no code from strings, no files but the packages it is made of, no other
// programs, a ceiling on its address space; and it ends with the host even when the host is killed.
// What runs inside has walls of its own (WebAssembly's imports, an in-memory shell); this is what stands should one of them fall.
import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Duplex, Readable, Writable } from "node:stream";
import { descriptors } from "../child/frames.ts";
import { sandboxError } from "../shared/errors.ts";

export interface SealedChildOptions {
  /** Name of the built program in dist/child. */
  readonly program: string;
  readonly parameters: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** Folders of packages that it reads. */
  readonly readable: readonly string[];
  /** Beyond what Node takes for itself. */
  readonly addressMb: number;
  /** Files to be handed down as descriptors 3 and 4. */
  readonly signalFile?: number;
  readonly imageFile?: number;
  /** Whether it may write into the files that it is handed. */
  readonly canWrite?: boolean;
}

export interface SealedChild {
  readonly process: ChildProcess;
  readonly requests: Writable;
  readonly replies: Readable;
}

/** What Node reserves for itself, measured at 2.2 GiB with Pyodide and the stacks of Node's other threads; most of it is never touched. */
const reservedMb = 3072;
/** Deep recursion needs far more stack than JavaScript usually has, or programs crash where Python would raise RecursionError. */
const stackKb = 65_536;

/** The shell sets its limits and becomes Node; a second one waits beside it, and kills it should the host vanish. */
const launcher = [
  "ulimit -c 0 2>/dev/null; ulimit -v $1 2>/dev/null",
  "[ $2 = sealed ] && ulimit -f 0 2>/dev/null",
  `stack=3900; ulimit -s ${stackKb} 2>/dev/null && stack=${stackKb - 4096}; shift 2`,
  `(read line <&${descriptors.watch} || kill -9 $$) >/dev/null 2>&1 & exec "$0" --stack-size=$stack "$@" ${descriptors.watch}<&-`,
].join("; ");

export function startSealedChild(options: SealedChildOptions): SealedChild {
  const { program, parameters, nodeFlags = [], readable, addressMb, signalFile, imageFile, canWrite = false } = options;
  const main = realpathSync(createRequire(import.meta.url).resolve(`#child/${program}`));
  const node = [
    process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission",
    // The child's own folder and its neighbours are public files of this package.
    ...[dirname(dirname(main)), ...readable].map((folder) => `--allow-fs-read=${join(folder, "*")}`),
    "--no-warnings",
    "--disallow-code-generation-from-strings",
    // Otherwise each WebAssembly memory reserves ten gigabytes of addresses, and there could be no ceiling.
    "--disable-wasm-trap-handler",
    ...nodeFlags,
    main,
    ...parameters,
  ];
  const file = (descriptor: number | undefined): number | "ignore" => descriptor ?? "ignore";
  const stdio = ["ignore", "ignore", "pipe", file(signalFile), file(imageFile), "pipe", "pipe", "pipe"] as const;
  const shell = [
    "-c",
    launcher,
    process.execPath,
    String((reservedMb + addressMb) * 1024),
    canWrite ? "open" : "sealed",
  ];
  const child =
    process.platform === "win32"
      ? spawn(process.execPath, node, { env: {}, stdio: [...stdio], windowsHide: true })
      : spawn("/bin/sh", [...shell, ...node], { cwd: "/", env: {}, stdio: [...stdio] });
  const pipe = (descriptor: number): Duplex => (child.stdio as readonly unknown[])[descriptor] as Duplex;
  const watch = pipe(descriptors.watch);
  const requests = pipe(descriptors.requests);
  // Whoever writes to a process that has gone learns of its end elsewhere.
  for (const stream of [watch, requests]) stream.on("error", () => undefined);
  child.once("exit", () => watch.end("ended\n"));
  return { process: child, requests, replies: pipe(descriptors.replies) };
}

/** Folder of an optional package; an error that says how to install it where it is missing. */
export function packageFolder(name: string, version: string): string {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      return realpathSync(join(folder, name));
    } catch {
      continue;
    }
  }
  throw sandboxError("sandbox-unavailable", `The package ${name} is not installed.`, {
    hint: `npm install ${name}@${version}`,
  });
}
