// A shell without an operating system: just-bash interprets Bash and brings its own grep, sed, awk, jq and a hundred more, on files in memory. Works wherever
// Node does and starts in a moment. There are no processes, no background programs, no network and no programs beyond its own; links can be read through, not written through.
import {
  type CallOptions,
  type ExecOptions,
  type ExecResult,
  type Sandbox,
  type SandboxLease,
  type SandboxProvider,
  SandboxSpec,
} from "@hone/core";
import type { ShellBody } from "../child/memory-bash-shell.ts";
import { packageFolder, startSealedChild } from "../sealed/child-process.ts";
import { SealedHost } from "../sealed/host.ts";
import { lease } from "../sealed/lease.ts";
import { sandboxError } from "../shared/errors.ts";
import { resolvePath } from "../shared/paths.ts";
import {
  basicVariables,
  callDefaults,
  type CallDefaults,
  checkCommand,
  execSettings,
  type Limits,
  limitsOf,
} from "../shared/settings.ts";

export type MemoryBashOptions = Partial<Omit<Limits, "processes">> & Partial<CallDefaults>;

/** Files are held in memory, here and in the child. */
const defaults = { memoryMb: 256, diskMb: 64 };

export function memoryBash(options: MemoryBashOptions = {}): SandboxProvider {
  return {
    name: "memory-bash",
    async open(spec: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
      signal.throwIfAborted();
      checkSpec(spec);
      const { memoryMb, diskMb } = limitsOf(spec, { ...defaults, ...options });
      const folder = packageFolder("just-bash", "3.4.2");
      const host = new SealedHost<ShellBody>({
        name: "The in-memory shell",
        diskMb,
        start: () =>
          startSealedChild({
            program: "memory-bash-main",
            parameters: [folder, String(diskMb)],
            nodeFlags: [`--max-old-space-size=${memoryMb}`],
            readable: [modulesFolder(folder)],
            addressMb: 2 * memoryMb + 2 * diskMb,
          }),
      });
      return lease(sandboxOn(host, { ...callDefaults, ...options }), host, spec, { signal });
    },
  };
}

function sandboxOn(host: SealedHost<ShellBody>, defaults: CallDefaults): Sandbox {
  return {
    async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
      host.refuseClosed();
      const limits = execSettings(options, defaults);
      const { cwd = ".", env = {}, stdin = "", signal } = options;
      checkCommand(command, env);
      const body = { command, cwd: resolvePath(cwd), env: { ...basicVariables, ...env } };
      return host.execute({ body, limits, stdin, signal });
    },
    async start() {
      host.refuseClosed();
      throw sandboxError("bad-argument", "The in-memory shell has no background programs.", {
        hint: "Run the program with exec, or use the bubblewrap, docker or pyodide provider.",
      });
    },
    async read(path) {
      host.refuseClosed();
      return host.files.read(path, defaults.maxReadBytes);
    },
    async write(path, content) {
      host.write(path, content);
    },
    async list(path) {
      host.refuseClosed();
      return host.files.list(path);
    },
  };
}

/** Where the packages are that just-bash imports: the outermost node_modules, which also holds what links lead to. */
function modulesFolder(folder: string): string {
  const name = `node_modules`;
  const at = folder.indexOf(`/${name}/`);
  return at < 0 ? folder : folder.slice(0, at + name.length + 1);
}

function checkSpec(spec: SandboxSpec): void {
  const { image, network = false } = SandboxSpec.parse(spec);
  if (image === undefined && !network) return;
  const what = image === undefined ? "a network" : `the image ${JSON.stringify(image)}`;
  throw sandboxError(
    "sandbox-spec",
    `The in-memory shell has neither images nor a network, and ${what} is asked for.`,
    {
      hint: "Leave it out, or use the docker provider.",
    },
  );
}
