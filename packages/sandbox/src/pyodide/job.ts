// A background program in an interpreter of its own: a REPL, mostly. Its output comes at the pace of its reader.
import type { JobOutput, SandboxJob } from "@hone/core";
import type { PythonBody } from "../child/pyodide-python.ts";
import type { Interpreter } from "../sealed/interpreter.ts";
import { graceMs, killed } from "../sealed/run-command.ts";
import { sandboxError } from "../shared/errors.ts";
import { JobOutputQueue } from "../shared/job-output.ts";

export class PyodideJob implements SandboxJob {
  readonly output = new JobOutputQueue();
  readonly ended: Promise<number>;
  readonly #interpreter: Interpreter<PythonBody>;
  readonly #id: number;
  #hasEnded = false;
  /** Once it is to end, its output must not hold it up. */
  #isEnding = false;

  constructor(interpreter: Interpreter<PythonBody>, body: PythonBody) {
    this.#interpreter = interpreter;
    const { id, ended } = interpreter.run(body);
    this.#id = id;
    this.output.attach(interpreter);
    this.ended = ended.then(
      ({ header }) => this.#end(header.exitCode),
      () => this.#end(killed),
    );
  }

  take(stream: JobOutput["stream"], bytes: Uint8Array): void {
    if (!this.#isEnding) this.output.add(stream, bytes);
  }

  async write(text: string): Promise<void> {
    if (this.#hasEnded) throw sandboxError("bad-argument", "The program has ended; nobody reads its input.");
    await this.#interpreter.input(this.#id, Buffer.from(text));
  }

  async signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.#hasEnded) return;
    this.#interpreter.signal(this.#id, name);
    if (name === "SIGINT" || this.#isEnding) return;
    this.#isEnding = true;
    this.#interpreter.resume();
    const late = setTimeout(() => this.#interpreter.kill(), graceMs);
    void this.ended.then(() => clearTimeout(late));
  }

  #end(exitCode: number): number {
    this.#hasEnded = true;
    this.output.end();
    return exitCode;
  }
}
