// The real program in a process of its own, for tests of signals, pipes and kills. It runs what was built.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const binary = fileURLToPath(new URL("../../bin/hone.js", import.meta.url));
export const repository = fileURLToPath(new URL("../../../../", import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  /** Resolves when it ended and everything it wrote was read. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another program than `hone`, run by Node. */
  readonly program?: string;
}

export function start(argv: readonly string[], { cwd, env = {}, program = binary }: StartOptions): Program {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/_API_KEY$|^NO_COLOR$|^FORCE_COLOR$|^VITEST/.test(name),
  );
  const child = spawn(process.execPath, [program, ...argv], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Awaited<Program["ended"]>>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** Whole lines of rollouts in the only evaluation of a folder, so far. */
export function rolloutLines(cwd: string): { readonly taskId: string; readonly index: number }[] {
  const root = join(cwd, "evals");
  const [name] = existsSync(root) ? readdirSync(root) : [];
  const file = join(root, name ?? "", "rollouts/000000.jsonl");
  if (name === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as { taskId: string; index: number });
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}
