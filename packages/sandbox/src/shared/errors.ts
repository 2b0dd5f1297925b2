// What goes wrong with sandboxes, as errors. Codes that start with "sandbox" mean that the sandbox itself is of no use any more, or never was;
// the other codes are mistakes of the caller (a path, a file) that the sandbox survives, and that a tool may show to the model.
import { HoneError } from "@hone/core";

export type SandboxErrorCode =
  | "sandbox-closed"
  | "sandbox-dead"
  | "sandbox-open"
  | "sandbox-spec"
  | "sandbox-unavailable"
  | "bad-argument"
  | "file-denied"
  | "file-kind"
  | "file-missing"
  | "file-path"
  | "file-too-large";

export interface SandboxErrorOptions {
  readonly hint?: string;
  readonly isRetryable?: boolean;
  readonly cause?: unknown;
}

export function sandboxError(code: SandboxErrorCode, message: string, options: SandboxErrorOptions = {}): HoneError {
  return new HoneError(message, { code, ...options });
}

export const closedError = (): HoneError => sandboxError("sandbox-closed", "This sandbox is closed.");

export function missingFile(path: string): HoneError {
  return sandboxError("file-missing", `There is no file ${path} in the sandbox.`);
}

/** `code` of a system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
