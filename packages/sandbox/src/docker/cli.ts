// The docker (or podman) program: whether its daemon answers, short commands with a result, and programs that last. The daemon's own interface is not used:
// the program brings contexts, credentials and rootless set-ups with it.
import { hostname } from "node:os";
import { Spawned } from "../process/spawned.ts";
import { processStart } from "../reaper.ts";
import { CappedOutput } from "../shared/capped-output.ts";
import { sandboxError } from "../shared/errors.ts";
import { listArguments } from "./arguments.ts";

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}
export interface CliOptions {
  readonly input?: Uint8Array;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

const answerTimeoutMs = 10_000;
const longestOutput = 1 << 20;

export class Cli {
  readonly #command: string;

  constructor(command: string) {
    this.#command = command;
  }

  /** Refuses when no daemon answers in time. */
  async check(): Promise<void> {
    const { exitCode, stderr } = await this.run(["version"], { timeoutMs: answerTimeoutMs }).catch((cause: unknown) => {
      throw sandboxError("sandbox-unavailable", `The program ${this.#command} is not there.`, {
        hint: "Install Docker or Podman, or use the bubblewrap or pyodide provider.",
        cause,
      });
    });
    if (exitCode === 0) return;
    const reason = stderr.trim().split("\n").at(-1) || `exit code ${exitCode}`;
    throw sandboxError("sandbox-unavailable", `${this.#command} has no daemon that answers: ${reason}`, {
      hint: "Start it, or use the bubblewrap or pyodide provider.",
    });
  }

  async run(parameters: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const { input, maxBytes = longestOutput, timeoutMs } = options;
    const output = { stdout: new CappedOutput(maxBytes), stderr: new CappedOutput(longestOutput) };
    const program = await this.start(parameters, (stream, chunk) => output[stream].add(chunk));
    program.input.end(input);
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => program.signal("SIGKILL"), timeoutMs);
    const exitCode = await program.ended;
    clearTimeout(timer);
    return { exitCode, stdout: output.stdout.bytes(), stderr: output.stderr.finish().text };
  }

  start(
    parameters: readonly string[],
    onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void,
  ): Promise<Spawned> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return Spawned.start(this.#command, { arguments: parameters, cwd: "/", env, onOutput });
  }

  /** Removes containers whose programs on this machine are gone. Gives their number. */
  async reap(): Promise<number> {
    const { exitCode, stdout } = await this.run(listArguments, { timeoutMs: answerTimeoutMs });
    if (exitCode !== 0) return 0;
    const lost: string[] = [];
    for (const line of Buffer.from(stdout).toString().split("\n")) {
      const [id = "", owner = ""] = line.trim().split(" ");
      if (id !== "" && (await isLost(owner))) lost.push(id);
    }
    if (lost.length > 0) await this.run(["rm", "--force", ...lost]);
    return lost.length;
  }
}

/** This program, as a label: where it runs, its process number and when that started. */
export async function ownerName(): Promise<string> {
  return `${hostname()}/${process.pid}/${(await processStart(process.pid)) ?? "0"}`;
}

async function isLost(owner: string): Promise<boolean> {
  const [host, pid, start] = owner.split("/");
  // A daemon may serve several machines, and where the system does not say when a process started nobody can be sure.
  if (host !== hostname() || pid === undefined || start === undefined || start === "0") return false;
  return (await processStart(Number(pid))) !== start;
}
