// Numbered sets of FIFOs between the host and programs in a sandbox. They lie in a folder of the host that the sandbox sees read-only: it can
// use them, and can neither remove nor replace them. A set is used again once every writer is gone, so most sandboxes never need a second batch.
import { execFile } from "node:child_process";
import { constants, open as openCallback } from "node:fs";
import { chmod, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ProgramScript } from "./supervisor.ts";
import { channelFolder } from "./view.ts";

const open = promisify(openCallback);
const run = promisify(execFile);

/** Made at once: one start of mkfifo for as many programs at the same time. */
const batchSize = 4;
const kinds = ["in", "out", "err", "status"] as const;
export type FifoKind = (typeof kinds)[number];

/** Whose files they are to be; undefined for one's own. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

export class Slots {
  readonly #folder: string;
  readonly #user: HostUser | undefined;
  readonly #inputs = new Map<number, "file" | "fifo">();
  #free: number[] = [];
  #made = 0;
  #making: Promise<void> | undefined;

  constructor(folder: string, user: HostUser | undefined) {
    this.#folder = folder;
    this.#user = user;
  }

  async take(): Promise<number> {
    for (;;) {
      const slot = this.#free.pop();
      if (slot !== undefined) return slot;
      await this.prepare();
    }
  }

  /** A process left behind may still read the FIFO of its input, unseen: that slot is not used again. */
  give(slot: number): void {
    const input = this.#inputs.get(slot);
    this.#inputs.delete(slot);
    if (input === undefined) this.#free.push(slot);
    else if (input === "file") void rm(this.#path(slot, "stdin"), { force: true }).then(() => this.#free.push(slot));
  }

  /** Makes a batch; called early, it takes the time off the first command. */
  prepare(): Promise<void> {
    this.#making ??= this.#make().finally(() => (this.#making = undefined));
    return this.#making;
  }

  async writeScript(slot: number, script: ProgramScript): Promise<void> {
    await Promise.all([
      this.#write(slot, "run", script.run),
      ...(script.command === undefined ? [] : [this.#write(slot, "command", script.command)]),
    ]);
  }

  /** A regular file for standard input that is known beforehand. Gives its path in the sandbox. */
  async writeInput(slot: number, content: string | Uint8Array): Promise<string> {
    this.#inputs.set(slot, "file");
    await this.#write(slot, "stdin", content);
    return `${channelFolder}/${slot}.stdin`;
  }

  /** What comes through, from now until the last writer has closed it. Never waits for a writer. */
  async reader(slot: number, kind: FifoKind): Promise<FifoReader> {
    const descriptor = await open(this.#path(slot, kind), constants.O_RDONLY | constants.O_NONBLOCK);
    const socket = new Socket({ fd: descriptor, readable: true, writable: false });
    return { descriptor, socket };
  }

  /**
   * Standard input that goes on. Open for reading too, so that neither end ever waits for the other to come, and no write fails because nobody
   * reads yet.
   */
  async openInput(slot: number): Promise<{ readonly path: string; readonly socket: Socket }> {
    this.#inputs.set(slot, "fifo");
    const descriptor = await open(this.#path(slot, "in"), constants.O_RDWR | constants.O_NONBLOCK);
    const socket = new Socket({ fd: descriptor, readable: false, writable: true });
    return { path: `${channelFolder}/${slot}.in`, socket };
  }

  async #make(): Promise<void> {
    const first = this.#made;
    this.#made += batchSize;
    const slots = Array.from({ length: batchSize }, (_, index) => first + index);
    const paths = slots.flatMap((slot) => kinds.map((kind) => this.#path(slot, kind)));
    await run("mkfifo", ["-m", "600", ...paths], { ...this.#user, env: { PATH: "/usr/bin:/bin" } });
    this.#free.push(...slots.toReversed());
  }

  /** Readable for the sandbox's user, whatever this program's umask. */
  async #write(slot: number, kind: "run" | "command" | "stdin", content: string | Uint8Array): Promise<void> {
    const path = this.#path(slot, kind);
    await writeFile(path, content);
    if (this.#user !== undefined) await chmod(path, 0o644);
  }

  #path(slot: number, kind: FifoKind | "run" | "command" | "stdin"): string {
    return join(this.#folder, `${slot}.${kind}`);
  }
}

export interface FifoReader {
  readonly descriptor: number;
  readonly socket: Socket;
}
