// A container as a sandbox. Every command is a `docker exec`; all that it starts carries a mark in its environment, by which it is found and ended, because ending
// `docker exec` ends nothing inside.
import type { ExecOptions, ExecResult, Sandbox, SandboxJob, StartOptions } from "@hone/core";
import type { Spawned } from "../process/spawned.ts";
import { onAbort } from "../shared/abort.ts";
import { CappedOutput } from "../shared/capped-output.ts";
import { closedError, sandboxError } from "../shared/errors.ts";
import { JobOutputQueue } from "../shared/job-output.ts";
import { resolvePath } from "../shared/paths.ts";
import { basicVariables, type CallDefaults, checkCommand, execSettings } from "../shared/settings.ts";
import { execArguments, markVariable } from "./arguments.ts";
import type { Cli } from "./cli.ts";
import { listFolder, readFile, type RunScript, signalMarked, writeFile } from "./scripts.ts";

export interface DockerSandboxOptions {
  readonly cli: Cli;
  readonly container: string;
  /** Resolves when the container is gone. */
  readonly gone: Promise<void>;
  readonly defaults: CallDefaults;
}

/** Longer commands go into a file; the kernel's limit for an argument is 128 KiB. */
const longestArgument = 100_000;
/** How long what was killed may take to be gone, before the container itself is ended. */
const graceMs = 5000;
const fileTimeoutMs = 60_000;

export class DockerSandbox implements Sandbox {
  readonly #options: DockerSandboxOptions;
  #isGone = false;
  #isClosed = false;

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    void options.gone.then(() => (this.#isGone = true));
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    this.#checkAlive();
    const { stdin = "", signal } = options;
    const { timeoutMs, maxOutputBytes } = execSettings(options, this.#options.defaults);
    signal?.throwIfAborted();
    const mark = crypto.randomUUID();
    const output = { stdout: new CappedOutput(maxOutputBytes), stderr: new CappedOutput(maxOutputBytes) };
    const program = await this.#launch(mark, command, options, (stream, chunk) => output[stream].add(chunk));
    program.input.end(stdin);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void this.#kill(program, mark);
    }, timeoutMs);
    const stopListening = onAbort(signal, () => void this.#kill(program, mark));
    const exitCode = await program.ended;
    clearTimeout(timer);
    stopListening();
    signal?.throwIfAborted();
    const [stdout, stderr] = [output.stdout.finish(), output.stderr.finish()];
    if (!timedOut) await this.#checkAnswer(exitCode, stderr.text);
    const droppedBytes = stdout.droppedBytes + stderr.droppedBytes;
    return { exitCode, stdout: stdout.text, stderr: stderr.text, droppedBytes, timedOut };
  }

  async start(command: string, options: StartOptions = {}): Promise<SandboxJob> {
    this.#checkAlive();
    const mark = crypto.randomUUID();
    const output = new JobOutputQueue();
    const program = await this.#launch(mark, command, options, (stream, chunk) => {
      // What docker says of a container that is being removed is not the program's output.
      if (!this.#isClosed) output.add(stream, chunk);
    });
    output.attach(program);
    void program.ended.then(() => output.end());
    return {
      output,
      ended: program.ended,
      write: (text) =>
        new Promise((resolve, reject) => {
          const refuse = (): void =>
            reject(sandboxError("bad-argument", "The program has ended; nobody reads its input."));
          if (program.hasEnded) refuse();
          else program.input.write(text, (error) => (error ? refuse() : resolve()));
        }),
      signal: async (name) => {
        if (program.hasEnded) return;
        if (name === "SIGKILL") await this.#kill(program, mark);
        else await signalMarked(this.#script, mark, name === "SIGINT" ? "INT" : "TERM");
      },
    };
  }

  async read(path: string): Promise<Uint8Array> {
    this.#checkAlive();
    return readFile(this.#script, path, this.#options.defaults.maxReadBytes);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.#checkAlive();
    await writeFile(this.#script, path, content);
  }

  async list(path: string): Promise<readonly string[]> {
    this.#checkAlive();
    return listFolder(this.#script, path);
  }

  /** For the lease: scripts of its own, and the end. */
  get runScript(): RunScript {
    return this.#script;
  }

  close(): void {
    this.#isClosed = true;
  }

  readonly #script: RunScript = async (script, { parameters, input, maxBytes }) => {
    this.#checkAlive();
    const { cli, container } = this.#options;
    const program = ["sh", "-c", script, "sh", ...parameters];
    const result = await cli.run(execArguments({ container, cwd: "/", env: {}, program }), {
      ...(input === undefined ? {} : { input }),
      maxBytes,
      timeoutMs: fileTimeoutMs,
    });
    await this.#checkAnswer(result.exitCode, result.stderr);
    return result;
  };

  async #launch(
    mark: string,
    command: string,
    { cwd = ".", env = {} }: StartOptions,
    onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void,
  ): Promise<Spawned> {
    checkCommand(command, env);
    const { cli, container } = this.#options;
    const variables = { ...basicVariables, ...env, [markVariable]: mark };
    const program = ["sh", ...(await this.#shellArguments(command, mark))];
    return cli.start(execArguments({ container, cwd: resolvePath(cwd), env: variables, program }), onOutput);
  }

  async #shellArguments(command: string, mark: string): Promise<readonly string[]> {
    if (Buffer.byteLength(command) <= longestArgument) return ["-c", command];
    const file = `/tmp/.command-${mark}`;
    await writeFile(this.#script, file, command);
    return [file];
  }

  /** Ends all that carries the mark; where that cannot be done (no process is left to do it with), the container. */
  async #kill(program: Spawned, mark: string): Promise<void> {
    const { cli, container } = this.#options;
    const late = setTimeout(() => {
      void cli.run(["rm", "--force", container]).catch(() => undefined);
      program.signal("SIGKILL");
    }, graceMs);
    void program.ended.then(() => clearTimeout(late));
    await signalMarked(this.#script, mark, "KILL").catch(() => undefined);
  }

  #checkAlive(): void {
    if (this.#isClosed) throw closedError();
    if (this.#isGone) throw deadError();
  }

  /** Tells a command that failed from a container that is not there any more. */
  async #checkAnswer(exitCode: number, stderr: string): Promise<void> {
    if (exitCode !== 0 && /no such container|is not running|cannot connect to the/i.test(stderr)) {
      await Promise.race([this.#options.gone, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
    }
    this.#checkAlive();
  }
}

function deadError() {
  return sandboxError("sandbox-dead", "The container has ended.", {
    hint: "A program may have used up its memory or its processes; open the sandbox with more.",
    isRetryable: true,
  });
}
