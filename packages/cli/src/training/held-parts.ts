// Things that were opened one after the other and must be closed together, the last one first; also when opening the next one fails.
// (Node 20 has no AsyncDisposableStack.)
import type { Engine } from "@hone/core";

export class HeldParts implements AsyncDisposable {
  #parts: AsyncDisposable[] = [];

  use<Part extends AsyncDisposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  useEngine(engine: Engine): Engine {
    this.#parts.push({ [Symbol.asyncDispose]: () => engine.close() });
    return engine;
  }

  /** Everything held so far, no longer closed with this. */
  move(): HeldParts {
    const moved = new HeldParts();
    moved.#parts = this.#parts;
    this.#parts = [];
    return moved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts.splice(0).toReversed()) await part[Symbol.asyncDispose]();
  }
}
