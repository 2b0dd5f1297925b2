// Commands about a run, to be typed in the folder that holds runs/ and evals/. The page itself starts and signals nothing.
import type { RunDetail } from "./api-types.ts";

/** Undefined while it runs, and when there is nothing left to do. */
export function resumeCommand({ kind, name, state, isSft, config }: RunDetail): string | undefined {
  if (!["stopped", "failed", "interrupted"].includes(state)) return undefined;
  if (kind === "runs") return `hone ${isSft ? "sft" : "train"} --resume ${quoted(name)}`;
  const id = valueOf(config, "id", "config") ?? valueOf(config, "env");
  const model = valueOf(config, "model");
  if (id === undefined || model === undefined) return undefined;
  const [tasks, size] = [valueOf(config, "num_tasks"), valueOf(config, "group_size")];
  const counts = [tasks === undefined ? [] : ["-n", tasks], size === undefined ? [] : ["-r", size]].flat();
  return ["hone", "eval", id, "--model", model, ...counts, "--resume", `evals/${name}`].map(quoted).join(" ");
}

/** The policy of a checkpoint, for other programs, in a folder of its own: without one it would take the place of the run's last. */
export function exportCommand(name: string, step: number, { isMerged = false } = {}): string {
  const output = `${name}-${step}${isMerged ? "-merged" : ""}`;
  const merged = isMerged ? ["--merged"] : [];
  return ["hone", "runs", "export", name, "--step", String(step), ...merged, "--output", output].map(quoted).join(" ");
}

export function startCommand({ isSft }: Pick<RunDetail, "isSft">, file: string, name: string): string {
  return ["hone", isSft ? "sft" : "train", file, "--run", name].map(quoted).join(" ");
}

/** A name that no run has: the number at its end goes on, or begins. */
export function freshName(name: string, taken: readonly string[]): string {
  const stem = name.replace(/-\d+$/, "");
  for (let number = Number(/-(\d+)$/.exec(name)?.[1] ?? "1") + 1; ; number++) {
    const fresh = `${stem}-${number}`;
    if (!taken.includes(fresh)) return fresh;
  }
}

/** As the store allows it: it is the name of a folder. */
export function isRunName(name: string): boolean {
  return /^[\w][\w.-]{0,99}$/.test(name) && !name.endsWith(".");
}

/** As a shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A plain string or number of a table of the file; the top of it when none is named. */
function valueOf(toml: string, key: string, table = ""): string | undefined {
  let current = "";
  for (const line of toml.split("\n")) {
    current = /^\s*\[([^[\]]+)\]\s*$/.exec(line)?.[1] ?? (line.startsWith("[[") ? "[[" : current);
    const found = /^\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[\d.]+)\s*$/.exec(line);
    if (current !== table || found?.[1] !== key) continue;
    const value = found[2] ?? "";
    return value.startsWith('"') ? (JSON.parse(value) as string) : value;
  }
  return undefined;
}
