// One program in a sandbox, from start to end, as the host sees it: the ends of its FIFOs. It has ended when its status is known; what it printed
// by then is read to the last byte, even when processes it left behind keep the FIFOs open. The slot is free again when they are closed.
import { readSync } from "node:fs";
import type { Socket } from "node:net";
import { systemCode } from "../shared/errors.ts";
import type { FifoReader, Slots } from "./slots.ts";

export interface ProgramHandlers {
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /** All that it printed has been handed over. */
  readonly onEnd: (exitCode: number) => void;
}

/** By SIGKILL, which leaves no time to report a status. */
const killed = 137;
/** A status is a small number and a line end; a program that writes more there is lying. */
const longestStatus = 16;

type Readers = readonly [stdout: FifoReader, stderr: FifoReader, status: FifoReader];

export class Program {
  readonly slot: number;
  readonly #handlers: ProgramHandlers;
  readonly #streams: readonly { readonly name: "stdout" | "stderr"; readonly reader: FifoReader }[];
  readonly #statusSocket: Socket;
  #status = "";
  #hasEnded = false;

  private constructor(slot: number, handlers: ProgramHandlers, [stdout, stderr, status]: Readers) {
    this.slot = slot;
    this.#handlers = handlers;
    this.#statusSocket = status.socket;
    this.#streams = [
      { name: "stdout", reader: stdout },
      { name: "stderr", reader: stderr },
    ];
  }

  /** Listens. The program is started afterwards, by the supervisor. */
  static async open(slots: Slots, slot: number, handlers: ProgramHandlers): Promise<Program> {
    const readers = await Promise.all([
      slots.reader(slot, "out"),
      slots.reader(slot, "err"),
      slots.reader(slot, "status"),
    ]);
    const program = new Program(slot, handlers, readers);
    program.#listen(() => slots.give(slot));
    return program;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Adds to its output what the host has to say. */
  say(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    if (!this.#hasEnded) this.#handlers.onOutput(stream, chunk);
  }

  pause(): void {
    for (const { reader } of this.#streams) reader.socket.pause();
  }

  resume(): void {
    for (const { reader } of this.#streams) reader.socket.resume();
  }

  /** The sandbox is gone: nothing more will come. */
  abandon(): void {
    this.#end(killed);
    for (const { reader } of this.#streams) reader.socket.destroy();
    this.#statusSocket.destroy();
  }

  #listen(onFree: () => void): void {
    const status = this.#statusSocket;
    let open = 3;
    const closed = (): void => {
      if (--open === 0) onFree();
    };
    for (const { name, reader } of this.#streams) {
      reader.socket.on("data", (chunk: Uint8Array) => this.say(name, chunk));
      // A FIFO that breaks is a FIFO that ends.
      reader.socket.on("error", () => undefined);
      reader.socket.on("close", closed);
    }
    status.on("data", (chunk: Buffer) => {
      if (this.#status.length < longestStatus) this.#status += chunk.toString("latin1");
      if (this.#status.includes("\n")) this.#end(exitCodeOf(this.#status));
    });
    status.on("error", () => undefined);
    status.on("close", () => {
      this.#end(killed);
      closed();
    });
  }

  #end(exitCode: number): void {
    if (this.#hasEnded) return;
    for (const { name, reader } of this.#streams) {
      if (!reader.socket.destroyed) drain(reader, (chunk) => this.say(name, chunk));
    }
    this.#hasEnded = true;
    // What is left behind in the background may go on printing; nobody listens.
    for (const { reader } of this.#streams) reader.socket.resume().unref();
    this.#handlers.onEnd(exitCode);
  }
}

/** What lies in the FIFO now: no more than the largest can hold, in case somebody fills it as fast as it is emptied. */
function drain({ descriptor, socket }: FifoReader, onChunk: (chunk: Uint8Array) => void): void {
  // What was read while paused comes first, through the listener.
  while (socket.read() !== null);
  for (let left = 1 << 20; left > 0;) {
    const chunk = new Uint8Array(Math.min(left, 1 << 16));
    let length: number;
    try {
      length = readSync(descriptor, chunk);
    } catch (error) {
      if (systemCode(error) === "EAGAIN") return;
      throw error;
    }
    if (length === 0) return;
    onChunk(chunk.subarray(0, length));
    left -= length;
  }
}

function exitCodeOf(status: string): number {
  const code = Number.parseInt(status, 10);
  return code >= 0 && code <= 255 ? code : killed;
}
