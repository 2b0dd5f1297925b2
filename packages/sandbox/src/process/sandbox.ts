// Commands and background programs of an unconfined sandbox. A command that runs out of time takes its group with it, and every other process of
// the sandbox that no running program is an ancestor of; processes are known by their home, which lies in the sandbox's folder.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExecOptions, ExecResult, Sandbox, SandboxJob, StartOptions } from "@hone/core";
import { processesOf } from "../reaper.ts";
import { onAbort } from "../shared/abort.ts";
import { CappedOutput } from "../shared/capped-output.ts";
import { closedError, sandboxError } from "../shared/errors.ts";
import { JobOutputQueue } from "../shared/job-output.ts";
import { basicVariables, type CallDefaults, checkCommand, execSettings } from "../shared/settings.ts";
import type { HostFiles } from "./files.ts";
import { Spawned } from "./spawned.ts";

/** Longer commands go into a file; the kernel's limit for an argument is 128 KiB. */
const longestArgument = 100_000;

export interface ProcessSandboxOptions {
  readonly folder: string;
  readonly files: HostFiles;
  readonly defaults: CallDefaults;
}

export class ProcessSandbox implements Sandbox {
  readonly #options: ProcessSandboxOptions;
  readonly #programs = new Set<Spawned>();
  #isClosed = false;
  #count = 0;

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const { stdin, signal } = options;
    this.#checkOpen();
    const { timeoutMs, maxOutputBytes } = execSettings(options, this.#options.defaults);
    signal?.throwIfAborted();
    const output = { stdout: new CappedOutput(maxOutputBytes), stderr: new CappedOutput(maxOutputBytes) };
    const program = await this.#launch(command, options, (stream, chunk) => output[stream].add(chunk));
    if (typeof program === "string") {
      return { exitCode: 1, stdout: "", stderr: program, droppedBytes: 0, timedOut: false };
    }
    program.input.end(stdin ?? "");
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void this.#kill(program);
    }, timeoutMs);
    const stopListening = onAbort(signal, () => void this.#kill(program));
    const exitCode = await program.ended;
    clearTimeout(timer);
    stopListening();
    signal?.throwIfAborted();
    this.#checkOpen();
    const [stdout, stderr] = [output.stdout.finish(), output.stderr.finish()];
    const droppedBytes = stdout.droppedBytes + stderr.droppedBytes;
    return { exitCode, stdout: stdout.text, stderr: stderr.text, droppedBytes, timedOut };
  }

  async start(command: string, options: StartOptions = {}): Promise<SandboxJob> {
    this.#checkOpen();
    const output = new JobOutputQueue();
    const program = await this.#launch(command, options, (stream, chunk) => output.add(stream, chunk));
    if (typeof program === "string") throw sandboxError("file-missing", program);
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
        if (!program.hasEnded) program.signal(name);
      },
    };
  }

  async read(path: string): Promise<Uint8Array> {
    this.#checkOpen();
    return this.#options.files.read(path);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.#checkOpen();
    await this.#options.files.write(path, content);
  }

  async list(path: string): Promise<readonly string[]> {
    this.#checkOpen();
    return this.#options.files.list(path);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const programs = [...this.#programs];
    for (const program of programs) program.signal("SIGKILL");
    await Promise.all(programs.map(({ ended }) => ended));
  }

  /** A text instead of a program says why there is none. */
  async #launch(
    command: string,
    { cwd = "/work", env = {} }: StartOptions,
    onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void,
  ): Promise<Spawned | string> {
    const { folder, files } = this.#options;
    checkCommand(command, env);
    const place = files.locate(cwd);
    const found = await stat(place).catch(() => undefined);
    if (found?.isDirectory() !== true) return `There is no folder ${cwd}.\n`;
    const own = { HOME: join(folder, "work"), TMPDIR: join(folder, "tmp"), LANG: basicVariables["LANG"] ?? "" };
    const path = process.env["PATH"] ?? basicVariables["PATH"] ?? "";
    const program = await Spawned.start("/bin/sh", {
      arguments: await this.#shellArguments(command),
      cwd: place,
      env: { PATH: path, ...own, ...env },
      onOutput,
    });
    this.#programs.add(program);
    void program.ended.then(() => {
      this.#programs.delete(program);
    });
    return program;
  }

  async #shellArguments(command: string): Promise<readonly string[]> {
    if (Buffer.byteLength(command) <= longestArgument) return ["-c", command];
    const file = join(this.#options.folder, "commands", String(this.#count++));
    await writeFile(file, command);
    return [file];
  }

  async #kill(program: Spawned): Promise<void> {
    program.signal("SIGKILL");
    const kept = new Set([...this.#programs].filter((other) => other !== program).map(({ pid }) => pid));
    const pids = await processesOf(this.#options.folder);
    const lines = await Promise.all(pids.map(ancestorsOf));
    for (const [index, pid] of pids.entries()) {
      if (lines[index]?.some((ancestor) => kept.has(ancestor)) === true) continue;
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself in the meantime.
      }
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

/** The process itself first. */
async function ancestorsOf(pid: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let at = pid; at > 1 && found.length < 1000;) {
    found.push(at);
    const text = await readFile(`/proc/${at}/stat`, "latin1").catch(() => "");
    at = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  }
  return found;
}
