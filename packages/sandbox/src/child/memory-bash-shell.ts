// One command in the in-memory shell. A new shell for each, on the same files: nothing but files lasts. just-bash keeps no output of what runs into its own
// time limit, so loops are ended a moment before by their own limit, which keeps it; what neither of them stops, the host does.
import type { Bash as BashClass, BashOptions, InMemoryFs } from "just-bash";
import type { RunLimits, Surroundings } from "./frames.ts";

/** What the host asks this child to run. */
export interface ShellBody extends Surroundings {
  readonly command: string;
}

export interface ShellResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

const mebibyte = 1 << 20;
const unlimited = Number.MAX_SAFE_INTEGER;
/** Of programs that look at no clock while they loop. */
const mostIterations = 10_000_000;
/** After our own limit, so that it has the first say. */
const laterMs = 100;
/** 128 + SIGKILL. */
const killed = 137;
/** Taken before just-bash closes the global one, and `performance` too, to everything that runs inside. */
const { setTimeout: schedule } = globalThis;

export interface ShellParts {
  readonly Bash: typeof BashClass;
  readonly fs: InMemoryFs;
}

export async function runShell(
  { Bash, fs }: ShellParts,
  { command, cwd, env }: ShellBody,
  { stdin, timeoutMs }: Pick<RunLimits, "timeoutMs"> & { readonly stdin: string },
): Promise<ShellResult> {
  const deadline = Date.now() + timeoutMs;
  const left = (): number => deadline - Date.now();
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => schedule(resolve, Math.max(0, Math.min(milliseconds, left()))));
  const shell = new Bash({ fs, cwd, env: {}, sleep, executionLimits: limits(timeoutMs) });
  endLoopsAt(shell, left);
  const { exitCode, stdout, stderr } = await shell.exec(command, {
    env: { ...env, PWD: cwd },
    replaceEnv: true,
    rawScript: true,
    stdin,
  });
  const timedOut = left() <= 0;
  return { exitCode: timedOut ? killed : exitCode, stdout, stderr: timedOut ? "" : stderr, timedOut };
}

function limits(timeoutMs: number): NonNullable<BashOptions["executionLimits"]> {
  return {
    maxExecutionTimeMs: timeoutMs + laterMs,
    maxLoopIterations: unlimited,
    maxCommandCount: unlimited,
    maxWorkUnits: unlimited,
    maxAwkIterations: mostIterations,
    maxSedIterations: mostIterations,
    maxJqIterations: mostIterations,
    maxOutputSize: 64 * mebibyte,
  };
}

/** Loops ask for this limit at every turn; its value is the clock's. */
function endLoopsAt(shell: BashClass, left: () => number): void {
  const resolved: unknown = Reflect.get(shell, "limits");
  if (typeof resolved !== "object" || resolved === null) return;
  Object.defineProperty(resolved, "maxLoopIterations", { get: () => (left() <= 0 ? 0 : unlimited) });
}
