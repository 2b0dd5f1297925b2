// The provider for real programs on Linux, without a daemon and without rights: bubblewrap. Each sandbox is one long-lived bwrap process with a
// small supervisor in it (supervisor.ts) that starts every command. Chosen over one bwrap per command: processes, files and servers on loopback
// live on from one command to the next, files can lie in memory file systems with a hard size, a command takes 3 ms instead of 13, and all that
// runs inside is under namespaces, filter and limits from its first instruction, because it is born there.
import { accessSync, constants } from "node:fs";
import { chmod, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type CallOptions, HoneError, type SandboxLease, type SandboxProvider, SandboxSpec } from "@hone/core";
import { StateFolder } from "../reaper.ts";
import { sandboxError } from "../shared/errors.ts";
import { callDefaults, type CallDefaults, type Limits, limitsOf } from "../shared/settings.ts";
import { textFiles } from "../shared/text-files.ts";
import { Anchor } from "./anchor.ts";
import { Cgroup, findCgroup } from "./cgroup.ts";
import { workFiles, writeFiles } from "./files.ts";
import { Runner } from "./runner.ts";
import { BubblewrapSandbox } from "./sandbox.ts";
import { seccompProgram } from "./seccomp.ts";
import { type HostUser, Slots } from "./slots.ts";
import { supervisorScript } from "./supervisor.ts";
import type { Architecture } from "./syscalls.ts";
import { checkReadOnlyPaths, viewArguments } from "./view.ts";

export interface BubblewrapOptions extends Partial<Limits>, Partial<CallDefaults> {
  /** Processor time that one process may use. */
  readonly cpuSeconds?: number;
  /** Further folders of the host that sandboxes see, read-only, such as /opt/conda. */
  readonly readOnlyPaths?: readonly string[];
  /** What asks for a network gets the host's, loopback included. Otherwise it is refused. */
  readonly sharesHostNetwork?: boolean;
  /** The cgroup in which one is made for each sandbox; found by itself where there is one. False does without. */
  readonly cgroup?: string | false;
  /** Where leftovers are found again; a folder in the system's temporary one. */
  readonly stateFolder?: string;
  /** The program itself; searched for on PATH. */
  readonly bwrap?: string;
}

/**
 * Whom sandboxes of root belong to. Root is exempt from limits on processes and owns the host's files, so its sandboxes get a user that
 * nothing else on a system uses.
 */
const userOfRoot: HostUser = { uid: 65533, gid: 65533 };

export function bubblewrap(options: BubblewrapOptions = {}): SandboxProvider {
  checkReadOnlyPaths(options.readOnlyPaths ?? []);
  let host: Promise<Host> | undefined;
  return {
    name: "bubblewrap",
    async open(spec: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
      signal.throwIfAborted();
      checkSpec(spec, options);
      host ??= prepareHost(options).catch((error: unknown) => {
        host = undefined;
        throw error;
      });
      return openSandbox({ spec, options, host: await host, signal });
    },
  };
}

function checkSpec(given: SandboxSpec, { sharesHostNetwork = false }: BubblewrapOptions): void {
  const parsed = SandboxSpec.safeParse(given);
  if (!parsed.success) throw sandboxError("sandbox-spec", `This is no spec of a sandbox: ${parsed.error.message}`);
  const { image, network = false } = parsed.data;
  if (image !== undefined) {
    throw sandboxError("sandbox-spec", `bubblewrap has no images, and ${JSON.stringify(image)} is asked for.`, {
      hint: "Its sandboxes show the programs of this machine. Leave image out, or use the docker provider.",
    });
  }
  if (network && !sharesHostNetwork) {
    throw sandboxError(
      "sandbox-spec",
      "A sandbox with a network is asked for, and bubblewrap can only share the host's.",
      {
        hint: "Give bubblewrap({ sharesHostNetwork: true }) if programs may reach what this machine can, or use the docker provider.",
      },
    );
  }
}

/** What is found out once. */
interface Host {
  readonly bwrap: string;
  readonly architecture: Architecture;
  readonly state: StateFolder;
  readonly cgroup: string | undefined;
  readonly user: HostUser | undefined;
}

async function prepareHost(options: BubblewrapOptions): Promise<Host> {
  const { platform, arch } = process;
  if (platform !== "linux" || (arch !== "x64" && arch !== "arm64")) {
    throw sandboxError(
      "sandbox-unavailable",
      `bubblewrap exists on Linux (x64 and arm64) only; this is ${platform} on ${arch}.`,
    );
  }
  const bwrap = options.bwrap ?? findProgram("bwrap");
  if (bwrap === undefined) {
    throw sandboxError("sandbox-unavailable", "The program bwrap is not on PATH.", {
      hint: "Install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap).",
    });
  }
  const state = await StateFolder.open(options.stateFolder);
  await state.reap();
  const user = process.getuid?.() === 0 ? userOfRoot : undefined;
  if (user !== undefined) await checkWayTo(state.path);
  const cgroup = options.cgroup === false ? undefined : (options.cgroup ?? (await findCgroup()));
  if (cgroup === undefined && !countsPerNamespace(release())) {
    throw sandboxError(
      "sandbox-unavailable",
      `Linux ${release()} cannot limit the processes of a sandbox without a cgroup.`,
      {
        hint: "Use Linux 5.14 or later, or run in a cgroup that is delegated to you (systemd-run --user --scope -p Delegate=yes).",
      },
    );
  }
  return { bwrap, architecture: arch, state, cgroup, user };
}

/** The user that root's sandboxes belong to has to get to their channels. */
async function checkWayTo(folder: string): Promise<void> {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) !== 0) continue;
    throw sandboxError(
      "sandbox-open",
      `Sandboxes of root cannot be kept in ${folder}: other users may not enter ${at}.`,
      {
        hint: "Name another folder with the option stateFolder or the variable TMPDIR.",
      },
    );
  }
}

/** Before 5.14 the limit on processes was for all that a user runs, wherever it runs. */
export function countsPerNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

interface Opening {
  readonly spec: SandboxSpec;
  readonly options: BubblewrapOptions;
  readonly host: Host;
  readonly signal: AbortSignal;
}

async function openSandbox({ spec, options, host, signal }: Opening): Promise<SandboxLease> {
  const { bwrap, architecture, state, user } = host;
  const { readOnlyPaths = [], cpuSeconds = 3600 } = options;
  const limits = { ...limitsOf(spec, options), cpuSeconds, isCountedByCgroup: host.cgroup !== undefined };
  const network = spec.network ?? false;
  const folder = await state.claim();
  let cgroup: Cgroup | undefined;
  let runner: Runner | undefined;
  const close = async (): Promise<void> => {
    await runner?.close();
    await cgroup?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const channels = join(folder, "io");
    await makeChannels(channels, user);
    const slots = new Slots(channels, user);
    const [view] = await Promise.all([
      viewArguments({ limits, readOnlyPaths, folder, network }),
      slots.prepare(),
      writeFile(join(folder, "filter"), seccompProgram({ architecture, isMemoryCounted: limits.isCountedByCgroup })),
    ]);
    if (host.cgroup !== undefined) cgroup = await Cgroup.create(host.cgroup, folder, limits);
    const anchor = await Anchor.start({ bwrap, view, folder, user, network, cgroup, signal });
    runner = new Runner({ anchor, slots, limits, isWatched: cgroup === undefined });
    const sandbox = new BubblewrapSandbox({ runner, slots, limits, defaults: { ...callDefaults, ...options } });
    const files = Object.entries(spec.files ?? {}).map(([path, content]) => ({ path, content }));
    if (files.length > 0) await writeFiles(sandbox.runScript, files);
    return {
      sandbox,
      // Links and modes of files are not kept: a spec has no place for them.
      snapshot: async () => {
        const paths = await workFiles(sandbox.runScript);
        return { ...spec, files: await textFiles(paths, (path) => sandbox.read(path)) };
      },
      [Symbol.asyncDispose]: once(close),
    };
  } catch (error) {
    await close();
    if (HoneError.is(error) || signal.aborted) throw error;
    throw sandboxError("sandbox-open", `A sandbox could not be set up in ${folder}.`, {
      cause: error,
      isRetryable: true,
    });
  }
}

/** The supervisor's script and the FIFOs, where the sandbox's user can get at them. */
async function makeChannels(folder: string, user: HostUser | undefined): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, "supervisor"), supervisorScript);
  await chmod(join(folder, "supervisor"), 0o644);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}

/** On PATH. */
function findProgram(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
