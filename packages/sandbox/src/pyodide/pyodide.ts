// Python without installing it: CPython compiled to WebAssembly, in a child process with nothing around it. Works wherever Node does.
// Good for the standard library and pure Python; there are no other programs, no threads, no compiled packages and no network.
import { type CallOptions, type SandboxLease, type SandboxProvider, SandboxSpec } from "@hone/core";
import { lease } from "../sealed/lease.ts";
import type { UnlinkedFile } from "../sealed/unlinked-file.ts";
import { sandboxError } from "../shared/errors.ts";
import { callDefaults, type CallDefaults, type Limits, limitsOf } from "../shared/settings.ts";
import { pyodideFolder, startPyodide } from "./child.ts";
import { makeImage } from "./image.ts";
import { PyodideSandbox } from "./sandbox.ts";

/** `processes` is how many programs run at the same time in one sandbox, `memoryMb` is for each of them. */
export type PyodideOptions = Partial<Limits> & Partial<CallDefaults>;

/** Files are held in memory, here and in the child; an interpreter alone takes 200 MB. */
const defaults: Limits = { memoryMb: 512, diskMb: 64, processes: 8 };
/** What Python has taken before a program begins. */
const leastMemoryMb = 64;

export function pyodide(options: PyodideOptions = {}): SandboxProvider {
  let image: Promise<UnlinkedFile> | undefined;
  return {
    name: "pyodide",
    async open(spec: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
      signal.throwIfAborted();
      const limits = limitsOf(checked(spec), { ...defaults, ...options });
      pyodideFolder();
      // Not called off with the first who asks: others wait for it too.
      image ??= makeImage({ signal: new AbortController().signal }).catch((error: unknown) => {
        image = undefined;
        throw error;
      });
      const { fd: imageFile } = await image;
      const memoryMb = Math.max(limits.memoryMb, leastMemoryMb);
      const { diskMb, processes: programs } = limits;
      const sandbox = new PyodideSandbox({
        name: "Pyodide",
        start: (signalFile) => startPyodide({ task: "serve", memoryMb, diskMb, signalFile, imageFile }),
        diskMb,
        programs,
        defaults: { ...callDefaults, ...options },
      });
      return lease(sandbox, sandbox.host, spec, { signal });
    },
  };
}

function checked(spec: SandboxSpec): SandboxSpec {
  const { image, network = false } = SandboxSpec.parse(spec);
  if (image !== undefined) {
    throw sandboxError("sandbox-spec", `Pyodide has no images, and ${JSON.stringify(image)} is asked for.`, {
      hint: "Leave image out, or use the docker provider.",
    });
  }
  if (network) {
    throw sandboxError("sandbox-spec", "A sandbox with a network is asked for, and Pyodide has none.", {
      hint: "Use the docker provider.",
    });
  }
  return spec;
}
