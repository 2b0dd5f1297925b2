// A sandbox as its users see it: commands, background programs, files. Programs share processes, files and the loopback network.
// What a command leaves in the background stays until the sandbox is closed, or until a command runs out of time (runner.ts).
import type { Socket } from "node:net";
import type { ExecOptions, ExecResult, Sandbox, SandboxJob, StartOptions } from "@hone/core";
import { sandboxError } from "../shared/errors.ts";
import { JobOutputQueue } from "../shared/job-output.ts";
import { resolvePath } from "../shared/paths.ts";
import { type CallDefaults, checkCommand, execSettings } from "../shared/settings.ts";
import { listFolder, readFile, type RunScript, writeFiles } from "./files.ts";
import type { Runner } from "./runner.ts";
import type { Slots } from "./slots.ts";
import { ownScript, type ProgramLimits, programScript } from "./supervisor.ts";

/** The host's own file operations: long, because a busy sandbox is slow, but not for ever. */
const fileTimeoutMs = 60_000;
const noInput = "/dev/null";

export interface BubblewrapSandboxOptions {
  readonly runner: Runner;
  readonly slots: Slots;
  readonly limits: ProgramLimits;
  readonly defaults: CallDefaults;
}

export class BubblewrapSandbox implements Sandbox {
  readonly #options: BubblewrapSandboxOptions;

  constructor(options: BubblewrapSandboxOptions) {
    this.#options = options;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const { stdin, signal } = options;
    const { runner, slots, defaults } = this.#options;
    const settings = execSettings(options, defaults);
    const scriptFor = this.#scriptFor(command, options);
    const { exitCode, timedOut, ...output } = await runner.run(
      async (slot) => scriptFor(slot, stdin === undefined ? noInput : await slots.writeInput(slot, stdin)),
      { ...settings, signal },
    );
    const [stdout, stderr] = [output.stdout.finish(), output.stderr.finish()];
    const droppedBytes = stdout.droppedBytes + stderr.droppedBytes;
    return { exitCode, stdout: stdout.text, stderr: stderr.text, droppedBytes, timedOut };
  }

  async start(command: string, options: StartOptions = {}): Promise<SandboxJob> {
    const { runner, slots } = this.#options;
    const scriptFor = this.#scriptFor(command, options);
    const output = new JobOutputQueue();
    let input: Socket | undefined;
    let onEnd: (exitCode: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => (onEnd = resolve));
    const program = await runner.launch(
      async (slot) => {
        const opened = await slots.openInput(slot);
        input = opened.socket.on("error", () => undefined);
        return scriptFor(slot, opened.path);
      },
      {
        onOutput: (stream, chunk) => output.add(stream, chunk),
        onEnd: (exitCode) => {
          output.end();
          input?.destroy();
          onEnd(exitCode);
        },
      },
    );
    output.attach(program);
    return {
      output,
      ended,
      write: (text) =>
        new Promise((resolve, reject) => {
          const refuse = (): void =>
            reject(sandboxError("bad-argument", "The program has ended; nobody reads its input."));
          if (program.hasEnded || input === undefined) refuse();
          else input.write(text, (error) => (error ? refuse() : resolve()));
        }),
      signal: (name) => Promise.resolve(runner.signal(program, signalNames[name])),
    };
  }

  read(path: string): Promise<Uint8Array> {
    return readFile(this.runScript, path, this.#options.defaults.maxReadBytes);
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return writeFiles(this.runScript, [{ path, content }]);
  }

  list(path: string): Promise<readonly string[]> {
    return listFolder(this.runScript, path);
  }

  /** For file operations of the host: not counted against the number of processes, so that they work when that is used up. */
  readonly runScript: RunScript = async (script, { input, maxBytes }) => {
    const { runner, slots, limits } = this.#options;
    const result = await runner.run(
      async (slot) => {
        const path = input === undefined ? noInput : await slots.writeInput(slot, input);
        return ownScript({ script, limits, input: path });
      },
      { timeoutMs: fileTimeoutMs, maxOutputBytes: Math.max(maxBytes, 4096) },
    );
    const { stdout, stderr, exitCode } = result;
    return { exitCode, stdout: stdout.bytes(), isCut: stdout.isCut, stderr: stderr.finish().text };
  };

  #scriptFor(command: string, { cwd = "/work", env = {} }: StartOptions) {
    checkCommand(command, env);
    const folder = resolvePath(cwd);
    return (slot: number, input: string) =>
      programScript({ slot, command, cwd: folder, env, limits: this.#options.limits, input });
  }
}

const signalNames = { SIGINT: "INT", SIGTERM: "TERM", SIGKILL: "KILL" } as const;
