// A Pyodide sandbox as its users see it. Commands run one after the other; each background program has an interpreter of its own, so it goes on beside them.
import type { ExecOptions, ExecResult, Sandbox, SandboxJob, StartOptions } from "@hone/core";
import type { PythonBody } from "../child/pyodide-python.ts";
import { SealedHost } from "../sealed/host.ts";
import type { Interpreter, InterpreterOptions } from "../sealed/interpreter.ts";
import { sandboxError } from "../shared/errors.ts";
import { resolvePath } from "../shared/paths.ts";
import { basicVariables, type CallDefaults, checkCommand, execSettings } from "../shared/settings.ts";
import { parseCommand, type RefusedCommand } from "./command.ts";
import { PyodideJob } from "./job.ts";

export interface PyodideSandboxOptions extends InterpreterOptions {
  readonly defaults: CallDefaults;
  /** Commands and background programs at the same time. */
  readonly programs: number;
}

export class PyodideSandbox implements Sandbox {
  readonly host: SealedHost<PythonBody>;
  readonly #options: PyodideSandboxOptions;
  readonly #jobs = new Map<Interpreter<PythonBody>, PyodideJob>();

  constructor(options: PyodideSandboxOptions) {
    this.#options = options;
    this.host = new SealedHost(options, (from, stream, bytes) => this.#jobs.get(from)?.take(stream, bytes));
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    this.host.refuseClosed();
    const limits = execSettings(options, this.#options.defaults);
    const parsed = parse(command, options);
    options.signal?.throwIfAborted();
    if ("message" in parsed) return refused(parsed);
    const { stdin = parsed.stdin, signal } = options;
    return this.host.execute({ body: parsed.body, limits, stdin, signal });
  }

  async start(command: string, options: StartOptions = {}): Promise<SandboxJob> {
    this.host.refuseClosed();
    const parsed = parse(command, options);
    if ("message" in parsed) throw sandboxError("bad-argument", parsed.message);
    if (this.#jobs.size + 1 >= this.#options.programs) {
      throw sandboxError("bad-argument", `${this.#jobs.size} background programs run already; no more are allowed.`, {
        hint: "Open the sandbox with more processes.",
      });
    }
    const interpreter = await this.host.takeInterpreter();
    const job = new PyodideJob(interpreter, parsed.body);
    this.#jobs.set(interpreter, job);
    void job.ended.then(() => {
      this.#jobs.delete(interpreter);
      interpreter.kill();
    });
    return job;
  }

  async read(path: string): Promise<Uint8Array> {
    this.host.refuseClosed();
    return this.host.files.read(path, this.#options.defaults.maxReadBytes);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.host.write(path, content);
  }

  async list(path: string): Promise<readonly string[]> {
    this.host.refuseClosed();
    return this.host.files.list(path);
  }
}

interface Parsed {
  readonly body: PythonBody;
  readonly stdin: string;
}

function parse(command: string, { cwd = ".", env = {} }: StartOptions): RefusedCommand | Parsed {
  checkCommand(command, env);
  const folder = resolvePath(cwd);
  const parsed = parseCommand(command);
  if ("message" in parsed) return parsed;
  const { program, stdin = "" } = parsed;
  return { body: { program, cwd: folder, env: { ...basicVariables, ...env } }, stdin };
}

function refused({ exitCode, message }: RefusedCommand): ExecResult {
  return { exitCode, stdout: "", stderr: `${message}\n`, droppedBytes: 0, timedOut: false };
}
