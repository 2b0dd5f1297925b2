// Opens a sandbox on sealed children: its first files, its first child, and the lease.
import type { CallOptions, Sandbox, SandboxLease, SandboxSpec } from "@hone/core";
import { textFiles } from "../shared/text-files.ts";
import type { SealedHost } from "./host.ts";

export async function lease<Body>(
  sandbox: Sandbox,
  host: SealedHost<Body>,
  spec: SandboxSpec,
  { signal }: CallOptions,
): Promise<SandboxLease> {
  try {
    for (const [path, text] of Object.entries(spec.files ?? {})) host.files.write(path, Buffer.from(text));
    await host.warm({ signal });
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
  return {
    sandbox,
    snapshot: async () => {
      host.refuseClosed();
      return { ...spec, files: await textFiles(host.files.work(), (path) => sandbox.read(path)) };
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}
