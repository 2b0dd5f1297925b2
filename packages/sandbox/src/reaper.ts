// One folder per open sandbox, named after the program that opened it: process number and start time. A folder whose owner is gone is a leftover
// (the owner was killed): what it left running is killed and the folder removed, by whichever program starts next. Programs that see other
// processes (containers with a common /tmp) use other folders.
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxError, systemCode } from "./shared/errors.ts";

/** Where the system does not tell when a process started, its number has to do. */
const unknownStart = "0";

export class StateFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** The usual place, or the one given. It is made if it is not there, and refused if it is somebody else's. */
  static async open(given?: string): Promise<StateFolder> {
    const path = given ?? join(tmpdir(), `hone-sandboxes-${process.getuid?.() ?? 0}-${await processWorld()}`);
    // Open to pass through, whatever the umask: sandboxes of root belong to another user.
    if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, 0o711);
    const found = await lstat(path);
    if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) {
      throw sandboxError("sandbox-open", `The folder for open sandboxes, ${path}, belongs to somebody else.`, {
        hint: "Remove it, or name another with the option stateFolder.",
      });
    }
    return new StateFolder(path);
  }

  /** A new, empty folder that lives as long as a sandbox. */
  async claim(): Promise<string> {
    const start = (await processStart(process.pid)) ?? unknownStart;
    for (;;) {
      const path = join(this.path, `${process.pid}-${start}-${crypto.randomUUID().slice(0, 8)}`);
      const isNew = await mkdir(path).then(
        () => chmod(path, 0o711).then(() => true),
        (error: unknown) => {
          if (systemCode(error) === "EEXIST") return false;
          throw error;
        },
      );
      if (isNew) return path;
    }
  }

  /** Removes what dead programs left. Gives the number of sandboxes cleared away. */
  async reap(): Promise<number> {
    let count = 0;
    for (const name of await readdir(this.path)) {
      const [, pid, start] = /^(\d+)-(\d+)-[0-9a-f]{8}$/.exec(name) ?? [];
      if (pid === undefined || start === undefined) continue;
      const isAlive = start === unknownStart ? isInUse(Number(pid)) : (await processStart(Number(pid))) === start;
      if (isAlive) continue;
      await clearAway(join(this.path, name));
      count++;
    }
    return count;
  }
}

/** Kills what belongs to a sandbox's folder and removes the folder. */
export async function clearAway(folder: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const left = await processesOf(folder);
    if (left.length === 0) break;
    for (const pid of left) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const cgroup = await readFile(join(folder, "cgroup"), "utf8").catch(() => undefined);
  if (cgroup !== undefined) await rmdir(cgroup).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}

/** Processes started for a sandbox: bwrap was handed its channels, and an unconfined program has its home there. */
export async function processesOf(folder: string): Promise<readonly number[]> {
  const names = await readdir("/proc").catch(() => []);
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const marks = [join(folder, "io"), `HOME=${join(folder, "work")}`];
  const isMarked = async (pid: number): Promise<boolean> => {
    const texts = await Promise.all(
      ["cmdline", "environ"].map((file) => readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "")),
    );
    return texts.some((text) => text.split("\0").some((field) => marks.includes(field)));
  };
  const marked = await Promise.all(numbers.map(isMarked));
  return numbers.filter((pid, index) => marked[index] && pid !== process.pid);
}

/** When a live process started, in the system's own count; undefined when it is gone or the system does not say. */
export async function processStart(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The second field is the program's name in brackets, and may contain brackets and spaces.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" ? undefined : fields[19];
}

/** Which processes this program sees. */
async function processWorld(): Promise<string> {
  const link = await readlink("/proc/self/ns/pid").catch(() => "");
  return /\d+/.exec(link)?.[0] ?? "0";
}

function isInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself in the meantime.
  }
}

/** Clears away what programs that were killed left behind; every provider does so before its first sandbox. Gives their number. */
export async function reapSandboxes(stateFolder?: string): Promise<number> {
  return (await StateFolder.open(stateFolder)).reap();
}
