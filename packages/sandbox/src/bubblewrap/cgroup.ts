// Limits by the kernel for a whole sandbox: memory (its files in memory included), swap, processes. Needs cgroup v2 and a group that this user may
// make children of, with the controllers handed down: so under a systemd user session, or as root. Where there is none, rlimits and usage.ts
// do the work. Looked for from the program's own group upwards; a group that has processes of its own cannot hand controllers down.
import { constants } from "node:fs";
import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sandboxError, systemCode } from "../shared/errors.ts";
import type { Limits } from "../shared/settings.ts";

const mountPoint = "/sys/fs/cgroup";
const needed = ["memory", "pids"];

/** The nearest group in which one can be made for a sandbox; undefined where there is none. */
export async function findCgroup(root: string = mountPoint, self = "/proc/self/cgroup"): Promise<string | undefined> {
  const text = await readFile(self, "utf8").catch(() => "");
  const own = /^0::(\/.*)$/m.exec(text)?.[1];
  if (own === undefined) return undefined;
  for (let folder = join(root, own); folder.startsWith(root); folder = dirname(folder)) {
    if (await canHold(folder)) return folder;
  }
  return undefined;
}

async function canHold(folder: string): Promise<boolean> {
  const handedDown = await readFile(join(folder, "cgroup.subtree_control"), "utf8").catch(() => "");
  if (!needed.every((controller) => handedDown.split(/\s+/).includes(controller))) return false;
  // A process may only be moved by who may write in the group above both places.
  return access(folder, constants.W_OK)
    .then(() => access(join(folder, "cgroup.procs"), constants.W_OK))
    .then(
      () => true,
      () => false,
    );
}

export class Cgroup implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** `folder` is the sandbox's state folder: the group bears its name, and its path is noted there for whoever must clear up. */
  static async create(parent: string, folder: string, limits: Limits): Promise<Cgroup> {
    const path = join(parent, `hone-${basename(folder)}`);
    await writeFile(join(folder, "cgroup"), path);
    try {
      await mkdir(path);
      const memory = (limits.memoryMb + limits.diskMb) * 2 ** 20;
      await Promise.all([
        writeFile(join(path, "memory.max"), String(memory)),
        writeFile(join(path, "pids.max"), String(limits.processes + ownProcesses)),
        // Absent where the kernel has no swap accounting; then there is nothing to limit.
        writeFile(join(path, "memory.swap.max"), "0", { flag: "r+" }).catch(() => undefined),
      ]);
    } catch (cause) {
      await rmdir(path).catch(() => undefined);
      throw sandboxError("sandbox-open", `The cgroup ${path} cannot be set up.`, {
        cause,
        hint: "Give the option cgroup: false to do without.",
      });
    }
    return new Cgroup(path);
  }

  async add(pid: number): Promise<void> {
    await writeFile(join(this.path, "cgroup.procs"), String(pid));
  }

  /** After the last process has ended; the kernel may take a moment to notice. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (let round = 0; round < 50; round++) {
      const code = await rmdir(this.path).then(() => undefined, systemCode);
      if (code !== "EBUSY" && code !== "ENOTEMPTY") return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** bwrap, the supervisor, and a shell of the supervisor for each program. */
const ownProcesses = 16;
