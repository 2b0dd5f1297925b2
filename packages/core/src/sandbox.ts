// Where untrusted code runs. Tools and rewards hold a Sandbox; its lifetime belongs to the lease, which only the runner holds.
import * as z from "zod";
import type { CallOptions } from "./data.ts";

export interface Sandbox {
  /** A command that fails is a result; a dead sandbox throws. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  list(path: string): Promise<readonly string[]>;
}
export interface ExecOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Output beyond the cap that was thrown away. */
  readonly droppedBytes: number;
  readonly timedOut: boolean;
}

export interface SandboxSpec {
  readonly image?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly memoryMb?: number;
  readonly network?: boolean;
}
export interface SandboxProvider {
  readonly name: string;
  open(spec: SandboxSpec, options: CallOptions): Promise<SandboxLease>;
}
export interface SandboxLease extends AsyncDisposable {
  readonly sandbox: Sandbox;
}

export const SandboxSpec: z.ZodType<SandboxSpec> = z.strictObject({
  image: z.string().exactOptional(),
  files: z.record(z.string(), z.string()).exactOptional(),
  memoryMb: z.int().positive().exactOptional(),
  network: z.boolean().exactOptional(),
});
