// How far an evaluation is. On a terminal one line, rewritten in place; elsewhere a plain line every few seconds, so that a log of a build
// shows life and stays short. Invariant: after `clear` the cursor is at the start of an empty line.
import type { Output } from "../io.ts";

export interface ProgressLineOptions {
  readonly output: Output;
  readonly now?: () => number;
  /** Between two drawings; 100 on a terminal and 5,000 elsewhere unless given. */
  readonly everyMs?: number;
}

export class ProgressLine implements Disposable {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #everyMs: number;
  readonly #timer: NodeJS.Timeout;
  #text = "";
  #drawn = "";
  #drawnAtMs: number;
  #isShown = false;

  constructor({ output, now = Date.now, everyMs = output.isTerminal ? 100 : 5000 }: ProgressLineOptions) {
    this.#output = output;
    this.#now = now;
    this.#everyMs = everyMs;
    // A terminal shows the first line at once; a log waits.
    this.#drawnAtMs = output.isTerminal ? Number.NEGATIVE_INFINITY : now();
    // Without results nothing calls `show`, and a log should still say that it waits.
    this.#timer = setInterval(() => this.#draw(), everyMs);
  }

  show(text: string): void {
    this.#text = text;
    if (this.#now() - this.#drawnAtMs >= this.#everyMs) this.#draw();
  }

  /** A line that stays, above the one that is rewritten. */
  note(line: string): void {
    this.clear();
    this.#output.write(`${line}\n`);
    if (this.#output.isTerminal) this.#draw();
  }

  clear(): void {
    if (this.#isShown) this.#output.write("\r\u001B[2K");
    this.#isShown = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #draw(): void {
    if (this.#text === "" || (this.#isShown && this.#text === this.#drawn)) return;
    this.#drawnAtMs = this.#now();
    this.#drawn = this.#text;
    if (!this.#output.isTerminal) {
      this.#output.write(`${this.#text}\n`);
      return;
    }
    const width = (this.#output.columns || 80) - 1; // 0 where a terminal does not know its width
    this.#output.write(`\r\u001B[2K${Array.from(this.#text).slice(0, width).join("")}`);
    this.#isShown = true;
  }
}
