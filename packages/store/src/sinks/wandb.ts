// Weights & Biases, through its own Python client in a sidecar (python/wandb_sidecar.py). Online it needs a key in WANDB_API_KEY or a login of the
// client; offline it writes `<run>/wandb`, for `wandb sync`. The run's id is ours and stays, so a resumed run goes on in the same place.
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { HoneError } from "@hone/core";
import * as z from "zod";
import { errorCode } from "../disk-error.ts";
import type { WandbConfig } from "./config.ts";
import type { Setting } from "./run-settings.ts";
import type { Environment } from "./secrets.ts";
import { Sidecar } from "./sidecar.ts";
import { awayError, type Batch, type RunStatus, type Sink } from "./sink.ts";

const script = fileURLToPath(new URL("../../python/wandb_sidecar.py", import.meta.url));
/** The client itself tries for 30 s. */
const startMs = 60_000;
const logMs = 60_000;
/** For what the client does when it ends after an error. */
const endMs = 5000;
/** The deadline of closing comes first. */
const finishMs = 3_600_000;

/** What Python and the client may need of the environment. Keys of other services are none of it. */
const passed =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_.*|TMPDIR|TEMP|TMP|TZ|SYSTEMROOT|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|NETRC|XDG_.*|PYTHON.*|VIRTUAL_ENV|CONDA_.*|LD_LIBRARY_PATH|WANDB_.*|SSL_CERT_.*|REQUESTS_CA_BUNDLE|(?:https?|all|no)_proxy)$/i;

const Answer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started"), url: z.string().nullable() }),
  z.object({ type: z.literal("logged") }),
  z.object({ type: z.literal("finished") }),
  z.object({ type: z.literal("error"), code: z.string(), message: z.string() }),
]);
type Answer = z.output<typeof Answer>;

export interface WandbSinkOptions {
  readonly directory: string;
  readonly config: WandbConfig;
  readonly id: string;
  readonly settings: Readonly<Record<string, Setting>>;
  readonly env: Environment;
}

export class WandbSink implements Sink {
  readonly name = "wandb";
  readonly #options: WandbSinkOptions;
  readonly #python: string;
  #sidecar: Sidecar | undefined;
  #isNews = true;

  constructor(options: WandbSinkOptions) {
    this.#options = options;
    this.#python = options.env["HONE_PYTHON"] ?? (process.platform === "win32" ? "python" : "python3");
  }

  async open(signal: AbortSignal): Promise<string | undefined> {
    if (this.#sidecar?.isAlive === true) return undefined;
    const { directory, config, id, settings, env } = this.#options;
    const kept = Object.entries(env).filter(([name]) => passed.test(name));
    this.#sidecar = new Sidecar({ command: this.#python, args: [script], env: Object.fromEntries(kept), directory });
    const question = { type: "start", name: basename(directory), ...config, id, directory, config: settings };
    const answer = await this.#ask(question, startMs, signal);
    if (!this.#isNews) return undefined;
    this.#isNews = false;
    if (answer.type === "started" && answer.url !== null) return answer.url;
    return `offline: \`wandb sync\` in ${directory} uploads the run`;
  }

  async send({ points, first }: Batch, signal: AbortSignal): Promise<void> {
    const rows = points.map(({ step, metrics }) => ({ ...sayable(metrics), step }));
    await this.#ask({ type: "rows", first, rows }, logMs, signal);
  }

  async close(status: RunStatus, signal: AbortSignal): Promise<void> {
    const sidecar = this.#sidecar;
    if (sidecar === undefined) return;
    try {
      if (signal.aborted || !sidecar.isAlive) return;
      // 255 is what the client itself reports for a run that a person stopped.
      const exitCode = { finished: 0, stopped: 255, failed: 1 }[status];
      await this.#ask({ type: "finish", exitCode }, finishMs, signal);
    } catch (error) {
      throw signal.aborted ? notUploaded(this.#options.directory) : error;
    } finally {
      await sidecar.close(signal);
      this.#sidecar = undefined;
    }
  }

  /** After any trouble the process is let go: the next attempt starts another. */
  async #ask(question: object, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    try {
      const line = await this.#answerTo(question, timeoutMs, signal);
      const answer = Answer.safeParse(parsed(line));
      if (!answer.success) throw awayError(`the W&B process said something unexpected: ${line.slice(0, 200)}`);
      if (answer.data.type === "error") throw this.#problem(answer.data);
      return answer.data;
    } catch (error) {
      const sidecar = this.#sidecar;
      this.#sidecar = undefined;
      await sidecar?.close(AbortSignal.any([signal, AbortSignal.timeout(endMs)]));
      throw error;
    }
  }

  async #answerTo(question: object, timeoutMs: number, signal: AbortSignal): Promise<string> {
    const sidecar = this.#sidecar;
    if (sidecar === undefined) throw awayError("the W&B process is not running");
    try {
      return await sidecar.ask(question, { timeoutMs, signal });
    } catch (error) {
      if (errorCode(error) !== "ENOENT" && errorCode(error) !== "EACCES") throw error;
      throw new HoneError(`cannot start ${this.#python}`, {
        code: "sink-python",
        hint: "Install Python 3 with wandb, or set HONE_PYTHON to a Python that has it.",
        cause: error,
      });
    }
  }

  #problem({ code, message }: { readonly code: string; readonly message: string }): HoneError {
    const [first = ""] = message.trim().split("\n");
    if (code === "away") return awayError(`W&B: ${first}`);
    if (code !== "missing") return new HoneError(`W&B: ${first}`, { code: "sink-usage", hint: keyHint });
    return new HoneError(`${this.#python} has no wandb`, {
      code: "sink-python",
      hint: `Install it with \`${this.#python} -m pip install wandb\`, or set HONE_PYTHON to a Python that has it.`,
    });
  }
}

const keyHint = 'Set WANDB_API_KEY, or mode = "offline" under [wandb].';

function notUploaded(directory: string): HoneError {
  return new HoneError("W&B had not uploaded everything when time was up", {
    code: "sink-away",
    hint: `\`wandb sync\` in ${directory} uploads the rest.`,
  });
}

/** JSON has no word for not-a-number and the infinities. */
function sayable(metrics: Readonly<Record<string, number>>): Record<string, number | string> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name, Number.isFinite(value) ? value : String(value)]),
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
