// The E2B package: loaded only when it is used, and its errors in our words. The key goes to the package and nowhere else; should one of its messages
// repeat it, it is taken out.
import type { HoneError } from "@hone/core";
import type { Sandbox as E2BSandbox } from "e2b";
import { sandboxError } from "../shared/errors.ts";

export type { E2BSandbox };

export async function loadE2B(): Promise<typeof E2BSandbox> {
  try {
    return (await import("e2b")).Sandbox;
  } catch (cause) {
    throw sandboxError("sandbox-unavailable", "The package e2b is not installed.", {
      hint: "npm install e2b@2.51.0",
      cause,
    });
  }
}

export function keyOf(given: string | undefined): string {
  const key = given ?? process.env["E2B_API_KEY"];
  if (key !== undefined && key !== "") return key;
  throw sandboxError("sandbox-unavailable", "There is no key for E2B.", {
    hint: "Set E2B_API_KEY, or give the option apiKey.",
  });
}

/** The package's errors are told apart by name: two copies of it may be there. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** What a failed call means: nothing but errors of files and of the caller leave the sandbox usable. */
export function serviceError(error: unknown, key: string, what: string): HoneError {
  const said = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${said.replaceAll(key, "(key)")}`;
  switch (nameOf(error)) {
    case "AuthenticationError":
      return sandboxError("sandbox-unavailable", message, { hint: "Check E2B_API_KEY." });
    case "FileNotFoundError":
    case "NotFoundError":
      return sandboxError("file-missing", message);
    case "InvalidArgumentError":
      return sandboxError("file-kind", message);
    case "NotEnoughSpaceError":
      return sandboxError("file-denied", message);
    case "RateLimitError":
    case "ServiceBusyError":
      return sandboxError("sandbox-open", message, { isRetryable: true });
    default:
      return sandboxError("sandbox-dead", message, { isRetryable: true });
  }
}

const signalCodes: Readonly<Record<string, number>> = {
  interrupt: 130,
  aborted: 134,
  killed: 137,
  "segmentation fault": 139,
  terminated: 143,
};

/** E2B gives -1 and the signal's name for a program that a signal ended. */
export function exitCodeOf(exitCode: number, error: string | undefined): number {
  if (exitCode >= 0) return exitCode;
  return signalCodes[error?.replace(/^signal: /, "") ?? ""] ?? 137;
}
