// What a background program prints, on its way to the one reader. With a reader attached the program is slowed down to the reader's pace;
// without one, only the newest output is kept, so that a server nobody listens to does not stand still.
import type { JobOutput } from "@hone/core";

/** Characters held before the program is slowed down, or before old output is forgotten. */
const mostHeld = 1 << 20;

export interface OutputSource {
  pause(): void;
  resume(): void;
}

export class JobOutputQueue implements AsyncIterable<JobOutput> {
  readonly #decoders = { stdout: decoder(), stderr: decoder() };
  readonly #sources: OutputSource[] = [];
  #held: JobOutput[] = [];
  #heldLength = 0;
  #hasReader = false;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** A source may be paused and resumed from now on. */
  attach(source: OutputSource): void {
    this.#sources.push(source);
  }

  add(stream: JobOutput["stream"], chunk: Uint8Array): void {
    this.#push(stream, this.#decoders[stream].decode(chunk, { stream: true }));
  }

  end(): void {
    if (this.#hasEnded) return;
    for (const stream of ["stdout", "stderr"] as const) this.#push(stream, this.#decoders[stream].decode());
    this.#hasEnded = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<JobOutput> {
    this.#hasReader = true;
    return {
      next: async () => {
        for (;;) {
          const first = this.#held.shift();
          if (first !== undefined) return { done: false, value: this.#taken(first) };
          if (this.#hasEnded) return { done: true, value: undefined };
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      },
      return: () => {
        this.#hasReader = false;
        for (const source of this.#sources) source.resume();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #push(stream: JobOutput["stream"], text: string): void {
    if (text === "") return;
    this.#held.push({ stream, text });
    this.#heldLength += text.length;
    if (this.#heldLength > mostHeld) {
      if (this.#hasReader) for (const source of this.#sources) source.pause();
      else this.#forget();
    }
    this.#wake?.();
  }

  #taken(output: JobOutput): JobOutput {
    this.#heldLength -= output.text.length;
    if (this.#heldLength <= mostHeld / 2) for (const source of this.#sources) source.resume();
    return output;
  }

  #forget(): void {
    let from = 0;
    while (this.#heldLength > mostHeld && from < this.#held.length - 1) {
      this.#heldLength -= this.#held[from++]?.text.length ?? 0;
    }
    this.#held = this.#held.slice(from);
  }
}

const decoder = () => new TextDecoder("utf-8", { ignoreBOM: true });
