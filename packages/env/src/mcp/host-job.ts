// An MCP server as a program on the host, in the shape of a sandbox's job, so that one transport serves both. It leads a process group of its own:
// what it starts (npx starts the real server) ends with it. It sees PATH, HOME and what it is given, never the host's other variables.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { constants } from "node:os";
import { PassThrough } from "node:stream";
import { type JobOutput, HoneError, type SandboxJob } from "@hone/core";
import type { ProgramServer } from "./servers.ts";

export interface HostJob extends SandboxJob {
  /** End of input, which asks an MCP server to end. */
  readonly endInput: () => void;
}

export async function startOnHost(
  { command, args = [], env = {}, cwd }: ProgramServer,
  { keepsAlive }: { readonly keepsAlive: boolean },
): Promise<HostJob> {
  const child = spawn(command, args, {
    env: { ...inherited(), ...env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => {
      killGroup(child, "SIGKILL");
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  const output = outputOf(child);
  child.stdin.on("error", () => undefined); // a broken pipe is told to whoever writes
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.on("error", (cause) => reject(notStarted(command, cause)));
  });
  if (!keepsAlive) letGo(child);
  return {
    output,
    ended,
    endInput: () => void child.stdin.end(),
    signal: async (name) => killGroup(child, name),
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
      }),
  };
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    ["PATH", "HOME"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function outputOf(child: ChildProcessWithoutNullStreams): AsyncIterable<JobOutput> {
  const merged = new PassThrough({ objectMode: true });
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8");
    child[stream].on("data", (text: string) => merged.write({ stream, text }));
    child[stream].on("error", () => undefined);
  }
  child.once("close", () => merged.end());
  return merged;
}

/** A group is addressed by the negative id of its leader; it is gone when nobody is left in it. */
function killGroup({ pid }: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A server that nobody waits for does not keep this program running. */
function letGo(child: ChildProcessWithoutNullStreams): void {
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as unknown as { unref(): void }).unref();
}

function notStarted(command: string, cause: Error): HoneError {
  const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
  return new HoneError(
    isMissing ? `There is no program ${command}.` : `The program ${command} did not start: ${cause.message}`,
    { code: "mcp-start", cause },
  );
}
