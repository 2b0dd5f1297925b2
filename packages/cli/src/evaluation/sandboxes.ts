// Where the code of models runs. Found when the first rollout asks for one: environments of plain text pay nothing, and a machine without any sandbox
// fails those rollouts that need one, with the ways out.
import type { SandboxProvider } from "@hone/core";

export function foundSandboxes(): SandboxProvider {
  let found: Promise<SandboxProvider> | undefined;
  const find = async (): Promise<SandboxProvider> => (await import("@hone/sandbox")).defaultSandboxes();
  return {
    name: "default",
    open: async (spec, options) => (await (found ??= find())).open(spec, options),
  };
}
