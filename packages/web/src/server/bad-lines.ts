// Lines of a file that are no rows: counted, so that the page can say what it does not show.
import type { TailLine } from "./tail.ts";

export class BadLines {
  #count = 0;
  #firstByte = 0;

  get count(): number {
    return this.#count;
  }
  get firstByte(): number {
    return this.#firstByte;
  }

  /** An empty line is nobody's row and no loss. */
  add({ byte, nextByte }: Pick<TailLine, "byte" | "nextByte">): void {
    if (nextByte - byte <= 1) return;
    if (this.#count++ === 0) this.#firstByte = byte;
  }

  clear(): void {
    this.#count = 0;
  }
}
