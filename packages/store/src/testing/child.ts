// Test helper: a child process that runs a few lines of plain JavaScript against the built package, as a program of a user would.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

const store = new URL("../../dist/index.js", import.meta.url).href;

export interface Child {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  /** What it printed until it ended. */
  readonly output: Promise<string>;
}

/** `body` sees the exports of the package as `store`, `say(line)` and `args`. `shell` goes before it: "ulimit -f 64;". */
export function startChild(body: string, args: readonly string[], shell = ""): Child {
  const program = `
    import { writeSync } from "node:fs";
    import * as store from ${JSON.stringify(store)};
    const say = (line) => writeSync(1, line + "\\n");
    const args = process.argv.slice(1);
    ${body}`;
  const child = spawn(
    "/bin/sh",
    ["-c", `${shell} exec "$0" "$@"`, process.execPath, "--input-type=module", "-e", program, "--", ...args],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  return { process: child, output: outputOf(child) };
}

async function outputOf(child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await once(child, "close");
  return text;
}
