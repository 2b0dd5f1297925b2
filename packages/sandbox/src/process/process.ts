// Sandboxes without isolation: ordinary processes of this user, in a temporary folder that stands for /work. For trusted programs, and for systems
// where nothing better runs. Limits and network of a spec are not enforced, and model-written code can do whatever this user can:
// hence the option that has to be spelt out.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { CallOptions, SandboxLease, SandboxProvider, SandboxSpec } from "@hone/core";
import { clearAway, StateFolder } from "../reaper.ts";
import { sandboxError } from "../shared/errors.ts";
import { type CallDefaults, callDefaults } from "../shared/settings.ts";
import { textFiles } from "../shared/text-files.ts";
import { HostFiles } from "./files.ts";
import { ProcessSandbox } from "./sandbox.ts";

export interface UnsafeProcessOptions extends Partial<CallDefaults> {
  /** Whatever runs can read, change and send away everything that you can. */
  readonly iKnowThisRunsOnMyMachine: true;
  /** Where leftovers are found again; a folder in the system's temporary one. */
  readonly stateFolder?: string;
}

export function unsafeProcess(options: UnsafeProcessOptions): SandboxProvider {
  // The type says so already; a caller in JavaScript, or a configuration file, has no types.
  if ((options as Partial<UnsafeProcessOptions> | undefined)?.iKnowThisRunsOnMyMachine !== true) {
    throw sandboxError(
      "sandbox-unavailable",
      "The provider unsafeProcess runs commands on this machine without isolation.",
      {
        hint: "Use bubblewrap, docker, pyodide or memory-bash for code from a model; give iKnowThisRunsOnMyMachine: true for programs you trust.",
      },
    );
  }
  let state: Promise<StateFolder> | undefined;
  return {
    name: "process",
    async open(spec: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
      signal.throwIfAborted();
      if (process.platform === "win32") throw sandboxError("sandbox-unavailable", "unsafeProcess needs a POSIX shell.");
      state ??= openState(options.stateFolder);
      const folder = await (await state).claim();
      await Promise.all(["work", "tmp", "commands"].map((name) => mkdir(join(folder, name))));
      const defaults = { ...callDefaults, ...options };
      const files = new HostFiles(folder, defaults.maxReadBytes);
      const sandbox = new ProcessSandbox({ folder, files, defaults });
      let closing: Promise<void> | undefined;
      const close = async (): Promise<void> => {
        await sandbox.close();
        await clearAway(folder);
      };
      try {
        for (const [path, content] of Object.entries(spec.files ?? {})) await files.write(path, content);
      } catch (error) {
        await close();
        throw error;
      }
      return {
        sandbox,
        snapshot: async () => ({
          ...spec,
          files: await textFiles(await files.workFiles(), (path) => sandbox.read(path)),
        }),
        [Symbol.asyncDispose]: () => (closing ??= close()),
      };
    },
  };
}

async function openState(path?: string): Promise<StateFolder> {
  const state = await StateFolder.open(path);
  await state.reap();
  return state;
}
