// MCP over a running program: one JSON message per line on its standard input and output. Works on any job, so a server can run in a sandbox.
// Closing ends the program; a program that ends closes the connection.
import { HoneError, type SandboxJob } from "@hone/core";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

export interface JobTransportOptions {
  /** Asks the program to end, before it is signalled. */
  readonly askToEnd?: () => void;
  /** What it says on standard error. */
  readonly onNote?: (text: string) => void;
  /** How long it may take to end, per step: asked, SIGTERM, SIGKILL. */
  readonly graceMs?: number;
}

const maxLineCharacters = 32 * 1024 * 1024;

/** The transport of an MCP client to a server that runs as a job, in a sandbox for example. */
export function sandboxTransport(job: SandboxJob, options: JobTransportOptions = {}): Transport {
  return new JobTransport(job, options);
}

class JobTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #job: SandboxJob;
  readonly #options: JobTransportOptions;
  #isClosed = false;
  #ending: Promise<void> | undefined;

  constructor(job: SandboxJob, options: JobTransportOptions) {
    this.#job = job;
    this.#options = options;
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new HoneError("The server has ended.", { code: "mcp-lost" });
    try {
      await this.#job.write(`${JSON.stringify(message)}\n`);
    } catch (cause) {
      if (HoneError.is(cause)) throw cause;
      throw new HoneError("The server takes no more input.", { code: "mcp-lost", cause });
    }
  }

  close(): Promise<void> {
    this.#finish();
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    const { askToEnd, graceMs = 500 } = this.#options;
    const steps = [
      ...(askToEnd === undefined ? [] : [askToEnd]),
      () => this.#job.signal("SIGTERM"),
      () => this.#job.signal("SIGKILL"),
    ];
    const ended = this.#job.ended.then(
      () => true,
      () => true,
    );
    for (const step of steps) {
      await Promise.resolve(step()).catch((error: Error) => this.onerror?.(error));
      if (await within(ended, graceMs)) return;
    }
  }

  async #read(): Promise<void> {
    const begun: string[] = [];
    let begunCharacters = 0;
    try {
      for await (const { stream, text } of this.#job.output) {
        if (stream === "stderr") {
          this.#options.onNote?.(text);
          continue;
        }
        const [first = "", ...others] = text.split("\n");
        begun.push(first); // joined only when the line is whole: a long one comes in thousands of pieces
        begunCharacters += first.length;
        if (begunCharacters > maxLineCharacters) throw new Error("The server wrote a line without end.");
        if (others.length === 0) continue;
        this.#receive(begun.splice(0).join(""));
        begun.push(others.pop() ?? "");
        begunCharacters = begun[0]?.length ?? 0;
        for (const line of others) this.#receive(line);
      }
    } catch (error) {
      this.onerror?.(error as Error);
      await this.#job.signal("SIGKILL").catch(() => undefined);
    }
    this.#finish();
  }

  /** Programs print other things too, npx for one: what is no message is passed over. */
  #receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return;
    }
    if (typeof value === "object" && value !== null && !this.#isClosed) this.onmessage?.(value as JSONRPCMessage);
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

async function within(work: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
