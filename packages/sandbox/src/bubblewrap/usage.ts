// What a sandbox uses at the moment, where no cgroup counts it: the memory of all its processes and the number of its files. One process is
// held by its rlimit; only the sum over processes needs watching. The host looks through the sandbox's own /proc, which lists nothing else,
// so the cost does not depend on how busy the host is.
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import type { Limits } from "../shared/settings.ts";

export interface Usage {
  /** The supervisor is one. */
  readonly processes: number;
  readonly memoryBytes: number;
  readonly files: number;
}

/** How fast memory can grow, at most; it sets how long one may look away. */
const bytesPerMs = 4e6;
const shortestMs = 15;
const longestMs = 250;
/** What the kernel keeps for one file, even an empty one: it is memory that the size of the file system does not count. */
const bytesPerFile = 1024;

/** `root` is the root folder of the sandbox, as the host sees it: /proc/PID/root of its first process. */
export function measureUsage(root: string, limits: Limits): Usage {
  const pids = readdirSync(`${root}/proc`).filter((name) => /^\d+$/.test(name));
  const resident = pids.reduce((sum, pid) => sum + residentBytes(root, pid), 0);
  // Forked processes share pages, which the quick sum counts for each of them; the exact sum takes longer.
  const isNear = resident > limits.memoryMb * 2 ** 20;
  const memoryBytes = isNear ? pids.reduce((sum, pid) => sum + proportionalBytes(root, pid), 0) : resident;
  const files = ["/work", "/tmp", "/dev/shm"].reduce((sum, folder) => {
    const { files, ffree } = statfsSync(root + folder);
    return sum + files - ffree;
  }, 0);
  return { processes: pids.length, memoryBytes, files };
}

/** Which limit is broken, in words for whoever ran the command. Too many files are a reason only while they grow: they must be removable. */
export function brokenLimit(usage: Usage, limits: Limits, filesBefore: number): string | undefined {
  if (usage.memoryBytes > limits.memoryMb * 2 ** 20) return `more than ${limits.memoryMb} MB of memory in use`;
  const isGrowing = usage.files > filesBefore;
  if (isGrowing && usage.files * bytesPerFile > limits.diskMb * 2 ** 20)
    return `more than ${limits.diskMb * 1024} files`;
  return undefined;
}

/** When to look next: before the limit can be passed by much. Without a last look, nothing was used. */
export function nextLookMs(usage: Usage | undefined, limits: Limits): number {
  const left = limits.memoryMb * 2 ** 20 - (usage?.memoryBytes ?? 0);
  return Math.min(longestMs, Math.max(shortestMs, left / bytesPerMs));
}

function residentBytes(root: string, pid: string): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(fileOf(`${root}/proc/${pid}/status`)) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

function proportionalBytes(root: string, pid: string): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(fileOf(`${root}/proc/${pid}/smaps_rollup`)) ?? [];
  return kilobytes === undefined ? residentBytes(root, pid) : Number(kilobytes) * 1024;
}

/** Processes come and go while one looks. */
function fileOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
