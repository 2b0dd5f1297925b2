// A persistent Python session in a sandbox: state, imports and definitions survive from cell to cell. A cell that hangs is interrupted and the session
// lives on; one that cannot be interrupted is ended, and the next cell starts a new session and says so.
import { HoneError, type Sandbox, type SandboxJob } from "@hone/core";
import { pythonDriver } from "./driver.ts";

export interface PythonSessionOptions {
  /** Seconds a cell may take. */
  readonly cellSeconds?: number;
  readonly maxOutputBytes?: number;
  /** How Python is started; the session's program is appended. */
  readonly command?: string;
}

export interface CellResult {
  /** What the prompt would have shown. */
  readonly text: string;
  readonly ok: boolean;
}

interface Running {
  readonly job: SandboxJob;
  readonly lines: AsyncIterator<string>;
}

const startSeconds = 60;
const graceMs = 3_000;

export class PythonSession {
  readonly #sandbox: Sandbox;
  readonly #cellMs: number;
  readonly #limit: number;
  readonly #command: string;
  #running: Running | undefined;
  #wasLost = false;
  #next = 1;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    sandbox: Sandbox,
    { cellSeconds = 30, maxOutputBytes = 20_000, command = "python3 -u" }: PythonSessionOptions = {},
  ) {
    this.#sandbox = sandbox;
    this.#cellMs = cellSeconds * 1000;
    this.#limit = maxOutputBytes;
    this.#command = command;
  }

  /** Cells run one after the other, in the order they were given. */
  run(code: string): Promise<CellResult> {
    const result = this.#turn.then(() => this.#cell(code));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #cell(code: string): Promise<CellResult> {
    const notice = this.#wasLost
      ? "(The Python session was restarted. Variables, imports and definitions from before are gone.)\n"
      : "";
    const running = (this.#running ??= await this.#start());
    this.#wasLost = false;
    const id = this.#next++;
    await running.job.write(`${JSON.stringify({ id, code, limit: this.#limit })}\n`);
    const answer = this.#answer(running, id);
    const first = await within(answer, this.#cellMs);
    if (first !== "late") return { ...first, text: notice + first.text };
    await running.job.signal("SIGINT");
    const second = await within(answer, graceMs);
    const late = `The cell was interrupted after ${this.#cellMs / 1000} s.`;
    if (second !== "late") return { ok: false, text: `${notice}${second.text}${late}` };
    await running.job.signal("SIGKILL");
    this.#lose();
    return {
      ok: false,
      text: `${notice}${late} It did not stop, so the Python session was ended; the next cell starts a new one.`,
    };
  }

  /** The answer with this id; late ones of earlier cells are passed over. */
  async #answer(running: Running, id: number): Promise<CellResult> {
    for (;;) {
      const { done, value } = await running.lines.next();
      if (done === true) {
        const code = await running.job.ended;
        this.#lose();
        return { ok: false, text: `The Python session ended (exit code ${code}). The next cell starts a new one.` };
      }
      const answer = readAnswer(value);
      if (answer?.id !== id) continue;
      const cut = answer.dropped > 0 ? `\n(truncated ${answer.dropped} bytes)` : "";
      return { ok: answer.ok, text: answer.text + cut };
    }
  }

  #lose(): void {
    this.#running = undefined;
    this.#wasLost = true;
  }

  async #start(): Promise<Running> {
    const program = pythonDriver.replaceAll("'", String.raw`'\''`);
    const job = await this.#sandbox.start(`${this.#command} -c '${program}'`, { cwd: "/work" });
    const errors: string[] = [];
    const running = { job, lines: linesOf(job, errors) };
    const ready = await within(running.lines.next(), startSeconds * 1000);
    if (ready !== "late" && ready.done !== true && ready.value.includes('"ready"')) return running;
    await job.signal("SIGKILL");
    const said = errors.join("").trim().slice(-300);
    throw new HoneError(`Python did not start in the sandbox${said === "" ? "" : `: ${said}`}.`, {
      code: "sandbox-python",
      hint: "The sandbox needs python3 (3.8 or later); the pyodide provider brings its own.",
    });
  }
}

interface Answer {
  readonly id: number;
  readonly ok: boolean;
  readonly text: string;
  readonly dropped: number;
}

/** Undefined for lines that are no answer: a cell may have written to the descriptor. */
function readAnswer(line: string): Answer | undefined {
  try {
    const { id, ok, text, dropped } = JSON.parse(line) as Partial<Answer>;
    const isAnswer =
      typeof id === "number" && typeof ok === "boolean" && typeof text === "string" && typeof dropped === "number";
    return isAnswer ? { id, ok, text, dropped } : undefined;
  } catch {
    return undefined;
  }
}

async function* linesOf(job: SandboxJob, errors: string[]): AsyncGenerator<string> {
  let rest = "";
  for await (const { stream, text } of job.output) {
    if (stream === "stderr") {
      if (errors.length < 100) errors.push(text);
      continue;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** A timer that is cleared: an abandoned one would keep the process alive. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, ms, "late");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
