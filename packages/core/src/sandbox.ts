// Where untrusted code runs. Tools and rewards hold a Sandbox; its lifetime belongs to the lease, which only the runner holds.
// Every provider gives the same world: a working directory /work, a private /tmp, nothing of the host, no network unless asked for.
import * as z from "zod";
import type { CallOptions } from "./data.ts";

export interface Sandbox {
  /** A command that fails is a result; a dead sandbox throws, with a code that starts with "sandbox". */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** A program that goes on running beside others: a server, a REPL. It ends with the sandbox at the latest. */
  start(command: string, options?: StartOptions): Promise<SandboxJob>;
  /** Paths are absolute or below /work. */
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Names in a folder, sorted; folders end in a slash. */
  list(path: string): Promise<readonly string[]>;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}
export interface ExecOptions extends StartOptions {
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** Of stdout and of stderr, each; what is beyond is dropped and counted. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}
export interface ExecResult {
  /** 128 + the signal's number when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes: number;
  readonly timedOut: boolean;
}

export interface SandboxJob {
  /** What it prints, as it comes; ends with the program. To be read by one reader. */
  readonly output: AsyncIterable<JobOutput>;
  /** To its standard input. */
  write(text: string): Promise<void>;
  signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number>;
}
export interface JobOutput {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

export interface SandboxSpec {
  /** A name that the provider understands: a container image, a template. */
  readonly image?: string;
  /** Written before anything runs; paths as in `write`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly memoryMb?: number;
  readonly diskMb?: number;
  readonly processes?: number;
  readonly network?: boolean;
}
export interface SandboxProvider {
  readonly name: string;
  open(spec: SandboxSpec, options: CallOptions): Promise<SandboxLease>;
}
export interface SandboxLease extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Files of /work as a value that `open` can start from, where the provider can. */
  snapshot?(): Promise<SandboxSpec>;
}

export const SandboxSpec: z.ZodType<SandboxSpec> = z.strictObject({
  image: z.string().exactOptional(),
  files: z.record(z.string(), z.string()).exactOptional(),
  memoryMb: z.int().positive().exactOptional(),
  diskMb: z.int().positive().exactOptional(),
  processes: z.int().positive().exactOptional(),
  network: z.boolean().exactOptional(),
});
