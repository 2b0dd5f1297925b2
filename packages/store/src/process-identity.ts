// Which process, beyond its number: numbers are used again. On Linux the start time and the boot tell; elsewhere only whether the number is in use.
import { readFile } from "node:fs/promises";
import { errorCode } from "./disk-error.ts";

/** Of a live process: when it started, as one comparable text; null where the system does not say. Undefined when it is gone. */
export async function processStart(pid: number): Promise<string | null | undefined> {
  if (!isNumberInUse(pid)) return undefined;
  if (process.platform !== "linux") return null;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return isNumberInUse(pid) ? null : undefined;
  // The second field is the program's name in brackets, and may contain brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ticks] = [fields[0], fields[19]];
  // A killed process that nobody has waited for yet keeps its number but writes nothing any more.
  if (state === "Z" || state === "X" || ticks === undefined) return undefined;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}/${ticks}`;
}

function isNumberInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is a process.
    return errorCode(error) === "EPERM";
  }
}
