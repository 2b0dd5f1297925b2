// The command lines of docker, as pure functions: what a container may do is decided here and nowhere else.
// podman takes the same options.
import type { Limits } from "../shared/settings.ts";

/** Programs belong to nobody; only the container's first process, which does nothing, is root, so that nobody can end it. */
const programUser = "65534:65534";
const sandboxLabel = "hone.sandbox";
const ownerLabel = "hone.owner";
/** In the environment of everything that a command starts, to find it again. */
export const markVariable = "HONE_COMMAND";

export interface ContainerOptions {
  readonly name: string;
  /** Who opened it, for whoever clears away leftovers. */
  readonly owner: string;
  readonly image: string;
  readonly limits: Limits;
  readonly cpus: number;
  readonly network: boolean;
}

/**
 * The container stays as long as somebody holds its standard input open: when the host program ends in any way, the input closes,
 * the first process ends, and the container is removed.
 */
export function runArguments({ name, owner, image, limits, cpus, network }: ContainerOptions): readonly string[] {
  const { memoryMb, processes } = limits;
  const disk = shares(limits.diskMb);
  // Files are in memory, and count as such.
  const memory = `${memoryMb + limits.diskMb}m`;
  return [
    "run",
    "--interactive",
    "--rm",
    "--init",
    ...["--name", name, "--hostname", "sandbox"],
    ...["--label", `${sandboxLabel}=1`, "--label", `${ownerLabel}=${owner}`],
    ...["--user", "0:0", "--workdir", "/"],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--read-only", "--log-driver", "none"],
    ...["--tmpfs", `/work:rw,exec,nosuid,nodev,size=${disk.workMb}m,uid=65534,gid=65534,mode=0755`],
    ...["--tmpfs", `/tmp:rw,exec,nosuid,nodev,size=${disk.temporaryMb}m,mode=1777`],
    ...["--shm-size", `${disk.sharedMb}m`],
    ...["--memory", memory, "--memory-swap", memory],
    ...["--cpus", String(cpus), "--pids-limit", String(processes)],
    ...["--ulimit", "core=0"],
    ...(network ? [] : ["--network", "none"]),
    ...["--entrypoint", "sh", image, "-c", "echo ready; exec cat >/dev/null"],
  ];
}

export interface ExecArguments {
  readonly container: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

export function execArguments({ container, cwd, env, program }: ExecArguments): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return ["exec", "--interactive", "--user", programUser, "--workdir", cwd, ...variables, container, ...program];
}

/** Containers of any program, with their owners. */
export const listArguments: readonly string[] = [
  ...["ps", "--all", "--no-trunc", "--filter", `label=${sandboxLabel}`],
  ...["--format", `{{.ID}} {{.Label "${ownerLabel}"}}`],
];

/** The places that can be written to, which together are the disk. */
function shares(diskMb: number): { readonly workMb: number; readonly temporaryMb: number; readonly sharedMb: number } {
  const sharedMb = Math.max(1, Math.floor(diskMb / 16));
  const temporaryMb = Math.max(1, Math.floor(diskMb / 4) - sharedMb);
  return { workMb: Math.max(1, diskMb - temporaryMb - sharedMb), temporaryMb, sharedMb };
}
