// One program in a remote sandbox, a command or a background one. It carries a mark in its environment, by which everything that it started is found and ended:
// the service itself ends no more than the first process.
import type { CommandHandle } from "e2b";
import { markVariable } from "../docker/arguments.ts";
import { signalMarked } from "../docker/scripts.ts";
import { quote } from "../shared/quote.ts";
import { type E2BSandbox, exitCodeOf, nameOf } from "./service.ts";

const longestArgument = 100_000;

export interface ProgramOptions {
  readonly remote: E2BSandbox;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
  /** May be slow: the service is read at its pace. */
  readonly onOutput: (stream: "stdout" | "stderr", bytes: Uint8Array) => void | Promise<void>;
}

export class Program {
  readonly #remote: E2BSandbox;
  readonly #handle: CommandHandle;
  readonly #mark: string;
  /** Its exit code; rejected when the sandbox is lost. */
  readonly ended: Promise<number>;
  #hasEnded = false;

  private constructor(remote: E2BSandbox, handle: CommandHandle, mark: string) {
    this.#remote = remote;
    this.#handle = handle;
    this.#mark = mark;
    this.ended = this.#wait();
    // Whoever waits hears of it; a program nobody waits for may be lost without a word.
    this.ended.catch(() => undefined);
  }

  static async start({ remote, command, cwd, env, hasInput, onOutput }: ProgramOptions): Promise<Program> {
    const mark = crypto.randomUUID();
    const handle = await remote.commands.run(await asArgument(remote, command, mark), {
      background: true,
      cwd,
      envs: { ...env, [markVariable]: mark },
      stdin: hasInput,
      // Time is kept here, where it also ends what the program started.
      timeoutMs: 0,
      onStdout: (text) => onOutput("stdout", Buffer.from(text)),
      onStderr: (text) => onOutput("stderr", Buffer.from(text)),
    });
    return new Program(remote, handle, mark);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async write(text: string): Promise<void> {
    await this.#handle.sendStdin(text);
  }

  async endInput(): Promise<void> {
    await this.#handle.closeStdin();
  }

  async signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<void> {
    const short = { SIGINT: "INT", SIGTERM: "TERM", SIGKILL: "KILL" } as const;
    await signalMarked(this.#script, this.#mark, short[name]).catch(() => undefined);
    if (name === "SIGKILL" && !this.#hasEnded) await this.#handle.kill().catch(() => false);
  }

  readonly #script: Parameters<typeof signalMarked>[0] = async (script, { parameters }) => {
    const command = ["sh", "-c", script, "sh", ...parameters].map(quote).join(" ");
    await this.#remote.commands.run(command, { user: "root", timeoutMs: 10_000 });
    return { exitCode: 0, stdout: new Uint8Array(0), stderr: "" };
  };

  async #wait(): Promise<number> {
    try {
      const { exitCode, error } = await this.#handle.wait();
      return exitCodeOf(exitCode, error);
    } catch (error) {
      if (nameOf(error) !== "CommandExitError") throw error;
      const { exitCode, error: reason } = error as { readonly exitCode: number; readonly error?: string } & Error;
      return exitCodeOf(exitCode, reason);
    } finally {
      this.#hasEnded = true;
    }
  }
}

/** Long commands go into a file; the kernel's limit for an argument is 128 KiB. */
async function asArgument(remote: E2BSandbox, command: string, mark: string): Promise<string> {
  if (Buffer.byteLength(command) <= longestArgument) return command;
  const path = `/tmp/.command-${mark}`;
  await remote.files.write(path, command, { useOctetStream: true });
  return `bash ${path}`;
}
