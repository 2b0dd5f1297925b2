// The provider that is used when nobody chose one: bubblewrap where it works. Whether it does is tried, not guessed: user namespaces may be forbidden
// by the kernel, by AppArmor or by a container, and each says so in its own way.
import type { CallOptions, SandboxProvider } from "@hone/core";
import { bubblewrap, type BubblewrapOptions } from "./bubblewrap/bubblewrap.ts";
import { sandboxError } from "./shared/errors.ts";

const waysOut = [
  "Ways out: install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap) and allow user namespaces;",
  "or choose another provider: pyodide (Python, needs nothing), memory-bash (a shell, needs nothing), docker (needs its daemon).",
].join(" ");

/** Opens one sandbox to see. */
export async function defaultSandboxes(
  options: BubblewrapOptions = {},
  { signal }: Partial<CallOptions> = {},
): Promise<SandboxProvider> {
  const provider = bubblewrap(options);
  try {
    const lease = await provider.open({}, { signal: signal ?? new AbortController().signal });
    try {
      const { exitCode, stderr } = await lease.sandbox.exec("true", { timeoutMs: 10_000 });
      if (exitCode !== 0) throw new Error(stderr.trim() || `exit code ${exitCode}`);
    } finally {
      await lease[Symbol.asyncDispose]();
    }
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw sandboxError("sandbox-unavailable", `No sandbox for programs works here. ${reason}`, {
      hint: waysOut,
      cause,
    });
  }
  return provider;
}
