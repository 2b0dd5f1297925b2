// A remote sandbox as its users see it: commands, background programs and files, by way of the service.
import {
  type ExecOptions,
  type ExecResult,
  HoneError,
  type Sandbox,
  type SandboxJob,
  type StartOptions,
} from "@hone/core";
import { onAbort } from "../shared/abort.ts";
import { CappedOutput } from "../shared/capped-output.ts";
import { closedError, sandboxError } from "../shared/errors.ts";
import { JobOutputQueue } from "../shared/job-output.ts";
import { resolvePath } from "../shared/paths.ts";
import { basicVariables, type CallDefaults, checkCommand, execSettings } from "../shared/settings.ts";
import { Program } from "./program.ts";
import { type E2BSandbox, nameOf, serviceError } from "./service.ts";

export interface RemoteSandboxOptions {
  readonly remote: E2BSandbox;
  readonly key: string;
  readonly defaults: CallDefaults;
}

/** The package keeps all output of a program in memory; what prints far more than is wanted is ended. */
const mostOutputBytes = 128 << 20;
const cannotStart = 126;
/** PATH is the template's. */
const { PATH: _path, ...variables } = basicVariables;

export class RemoteSandbox implements Sandbox {
  readonly #options: RemoteSandboxOptions;
  #isClosed = false;

  constructor(options: RemoteSandboxOptions) {
    this.#options = options;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const { stdin, signal } = options;
    const { timeoutMs, maxOutputBytes } = execSettings(options, this.#options.defaults);
    this.#checkOpen();
    signal?.throwIfAborted();
    const output = { stdout: new CappedOutput(maxOutputBytes), stderr: new CappedOutput(maxOutputBytes) };
    let bytes = 0;
    const program = await this.#start(command, options, stdin !== undefined, (stream, chunk) => {
      output[stream].add(chunk);
      const before = bytes;
      bytes += chunk.length;
      if (before <= mostOutputBytes && bytes > mostOutputBytes && typeof program !== "string")
        void program.signal("SIGKILL");
    });
    if (typeof program === "string") {
      return { exitCode: cannotStart, stdout: "", stderr: `${program}\n`, droppedBytes: 0, timedOut: false };
    }
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void program.signal("SIGKILL");
    }, timeoutMs);
    const stopListening = onAbort(signal, () => void program.signal("SIGKILL"));
    try {
      if (stdin !== undefined) await this.#feed(program, stdin);
      const exitCode = await program.ended.catch((error: unknown) => this.#fail(error, "The command was lost"));
      signal?.throwIfAborted();
      this.#checkOpen();
      const [stdout, stderr] = [output.stdout.finish(), output.stderr.finish()];
      const droppedBytes = stdout.droppedBytes + stderr.droppedBytes;
      return { exitCode, stdout: stdout.text, stderr: stderr.text, droppedBytes, timedOut };
    } finally {
      clearTimeout(timer);
      stopListening();
    }
  }

  async start(command: string, options: StartOptions = {}): Promise<SandboxJob> {
    this.#checkOpen();
    const output = new JobOutputQueue();
    const pace = new Pace();
    const program = await this.#start(command, options, true, async (stream, chunk) => {
      output.add(stream, chunk);
      await pace.free;
    });
    if (typeof program === "string") throw sandboxError("bad-argument", program);
    output.attach(pace);
    // A program that is lost with its sandbox ended as if killed.
    const ended = program.ended.catch(() => 137).finally(() => output.end());
    return {
      output,
      ended,
      write: async (text) => {
        if (program.hasEnded) throw sandboxError("bad-argument", "The program has ended; nobody reads its input.");
        await program.write(text).catch((error: unknown) => this.#fail(error, "The input was not taken"));
      },
      signal: async (name) => {
        if (!program.hasEnded) await program.signal(name);
      },
    };
  }

  async read(path: string): Promise<Uint8Array> {
    const full = resolvePath(path);
    this.#checkOpen();
    const { remote, defaults } = this.#options;
    try {
      const { type, size } = await remote.files.getInfo(full);
      if (String(type) === "dir") throw sandboxError("file-kind", `${full} is not a file.`);
      if (size > defaults.maxReadBytes) {
        throw sandboxError("file-too-large", `${full} has more than ${defaults.maxReadBytes} bytes.`);
      }
      return await remote.files.read(full, { format: "bytes" });
    } catch (error) {
      return this.#fail(error, full);
    }
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const full = resolvePath(path);
    this.#checkOpen();
    const data = typeof content === "string" ? content : new Uint8Array(content).buffer;
    await this.#options.remote.files
      .write(full, data, { useOctetStream: true })
      .catch((error: unknown) => this.#fail(error, full));
  }

  async list(path: string): Promise<readonly string[]> {
    const full = resolvePath(path);
    this.#checkOpen();
    const entries = await this.#options.remote.files.list(full).catch((error: unknown) => this.#fail(error, full));
    return entries
      .map(({ name, type, symlinkTarget }) =>
        String(type) === "dir" && symlinkTarget === undefined ? `${name}/` : name,
      )
      .toSorted();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** A text instead of a program says why there is none. */
  async #start(
    command: string,
    { cwd = ".", env = {} }: StartOptions,
    hasInput: boolean,
    onOutput: (stream: "stdout" | "stderr", bytes: Uint8Array) => void | Promise<void>,
  ): Promise<Program | string> {
    checkCommand(command, env);
    const folder = resolvePath(cwd);
    const { remote } = this.#options;
    try {
      return await Program.start({ remote, command, cwd: folder, env: { ...variables, ...env }, hasInput, onOutput });
    } catch (error) {
      if (nameOf(error) === "InvalidArgumentError") return error instanceof Error ? error.message : String(error);
      return this.#fail(error, "The command could not be started");
    }
  }

  /** A program that ends before it has read everything is none the worse for it. */
  async #feed(program: Program, text: string): Promise<void> {
    try {
      if (text !== "") await program.write(text);
      await program.endInput();
    } catch (error) {
      if (nameOf(error) !== "NotFoundError" && !program.hasEnded) this.#fail(error, "The input was not taken");
    }
  }

  #fail(error: unknown, what: string): never {
    this.#checkOpen();
    if (HoneError.is(error)) throw error;
    throw serviceError(error, this.#options.key, what);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

/** Holds the service back while the reader of a job's output is slow. */
class Pace {
  free: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  pause(): void {
    if (this.#release === undefined) this.free = new Promise((resolve) => (this.#release = resolve));
  }

  resume(): void {
    this.#release?.();
    this.#release = undefined;
  }
}
