// Where the code of models runs. Opened when the first rollout asks for one: environments of plain text pay nothing, and a machine without any sandbox
// fails those rollouts that need one, with the ways out.
import type { SandboxProvider } from "@hone/core";
import type { SandboxName } from "./sandbox-names.ts";

/** Without a name: bubblewrap where it works. */
export function foundSandboxes(name?: SandboxName): SandboxProvider {
  let found: Promise<SandboxProvider> | undefined;
  return {
    name: name ?? "default",
    open: async (spec, options) => (await (found ??= find(name))).open(spec, options),
  };
}

async function find(name: SandboxName | undefined): Promise<SandboxProvider> {
  const providers = await import("@hone/sandbox");
  switch (name) {
    case undefined:
    case "bubblewrap":
      return providers.defaultSandboxes();
    case "docker":
      return providers.docker();
    case "pyodide":
      return providers.pyodide();
    case "memory-bash":
      return providers.memoryBash();
    case "e2b":
      return providers.e2b();
  }
}
