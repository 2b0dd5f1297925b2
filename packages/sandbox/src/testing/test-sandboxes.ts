// Sandboxes for tests of what runs in them: bubblewrap where it works, else plain processes. Tests run programs they wrote themselves,
// so the second is safe enough; what must be contained is tested by the hostile suite, which never falls back.
import type { SandboxProvider } from "@hone/core";
import { defaultSandboxes } from "../detect.ts";
import { unsafeProcess } from "../process/process.ts";

export function testSandboxes(): SandboxProvider {
  let chosen: Promise<SandboxProvider> | undefined;
  const choose = (): Promise<SandboxProvider> =>
    defaultSandboxes().catch(() => unsafeProcess({ iKnowThisRunsOnMyMachine: true }));
  return {
    name: "test",
    open: async (spec, options) => (await (chosen ??= choose())).open(spec, options),
  };
}

/** Why a test that needs these programs cannot run here; undefined when it can. */
export async function lacking(sandboxes: SandboxProvider, ...commands: readonly string[]): Promise<string | undefined> {
  await using lease = await sandboxes.open({}, { signal: new AbortController().signal });
  for (const command of commands) {
    const { exitCode } = await lease.sandbox.exec(`command -v ${command}`);
    if (exitCode !== 0) return `there is no ${command} in the sandbox`;
  }
  return undefined;
}
