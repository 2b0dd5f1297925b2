// Several lines of a terminal, rewritten in place. Elsewhere nothing is drawn: a log gets lines of its own through `note`.
// Invariant: after `clear` the cursor is at the start of an empty line, and what was noted stands above.
import { stripVTControlCharacters } from "node:util";
import type { Output } from "../io.ts";

export interface LiveBlockOptions {
  readonly output: Output;
  /** The lines as they are now, asked for at every drawing. */
  readonly draw: () => readonly string[];
  /** Between two drawings; 200 unless given. */
  readonly everyMs?: number;
}

export class LiveBlock implements Disposable {
  readonly #output: Output;
  readonly #draw: () => readonly string[];
  readonly #timer: NodeJS.Timeout | undefined;
  #shown = 0;

  constructor({ output, draw, everyMs = 200 }: LiveBlockOptions) {
    this.#output = output;
    this.#draw = draw;
    this.#timer = output.isTerminal ? setInterval(() => this.refresh(), everyMs) : undefined;
  }

  refresh(): void {
    if (!this.#output.isTerminal) return;
    const width = (this.#output.columns || 80) - 1; // 0 where a terminal does not know its width
    const lines = this.#draw().map((line) => cut(line, width));
    this.#output.write(this.#erase() + lines.map((line) => `${line}\n`).join(""));
    this.#shown = lines.length;
  }

  /** A line that stays, above those that are rewritten. */
  note(line: string): void {
    this.clear();
    this.#output.write(`${line}\n`);
    this.refresh();
  }

  clear(): void {
    if (this.#shown > 0) this.#output.write(this.#erase());
    this.#shown = 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.clear();
  }

  /** Up to where the block began, and everything below it gone. */
  #erase(): string {
    return this.#shown === 0 ? "" : `\u001B[${this.#shown}A\r\u001B[0J`;
  }
}

/** A painted line that is too long loses its colours: cutting through a code would spill it. */
function cut(line: string, width: number): string {
  const plain = Array.from(stripVTControlCharacters(line));
  return plain.length <= width ? line : plain.slice(0, width).join("");
}
