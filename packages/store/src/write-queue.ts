// Gathers what is asked for in one turn of the event loop, or while a write is under way, into one write. Writes happen one at a time, in order.
// Everything gathered together shares one promise: a rollout costs no promise of its own. After a failure nothing is written any more.

interface Batch {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class WriteQueue {
  readonly #write: () => Promise<void>;
  #gathering: Batch | undefined;
  #writing: Batch | undefined;
  #failed: Promise<void> | undefined;

  /** `write` takes all that is gathered before its first await. */
  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** A rejected promise once a write has failed. Nothing may be gathered after that. */
  get failed(): Promise<void> | undefined {
    return this.#failed;
  }

  /** Something was gathered. Resolves when it is written; `isFull` begins at once instead of at the end of this turn. */
  request(isFull: boolean): Promise<void> {
    if (this.#gathering === undefined) {
      this.#gathering = createBatch();
      if (this.#writing === undefined) setImmediate(() => this.#begin());
    }
    const { promise } = this.#gathering;
    if (isFull) this.#begin();
    return promise;
  }

  /** Everything gathered so far is written. */
  drained(): Promise<void> {
    return this.#failed ?? this.#gathering?.promise ?? this.#writing?.promise ?? Promise.resolve();
  }

  #begin(): void {
    if (this.#gathering === undefined || this.#writing !== undefined) return;
    const batch = this.#gathering;
    this.#writing = batch;
    this.#gathering = undefined;
    this.#write().then(
      () => {
        this.#writing = undefined;
        batch.resolve();
        this.#begin();
      },
      (error: unknown) => this.#fail(batch, error),
    );
  }

  #fail(batch: Batch, error: unknown): void {
    this.#writing = undefined;
    this.#failed = batch.promise;
    batch.reject(error);
    this.#gathering?.reject(error);
    this.#gathering = undefined;
  }
}

function createBatch(): Batch {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((onWritten, onError) => {
    resolve = onWritten;
    reject = onError;
  });
  // Rows may be appended without waiting for each; an error that nobody waited for comes out of flush and close.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Bytes after which a write begins without waiting for more, and the size of the pieces that are written. */
export const writeBytes = 262_144;
const newline = 10;

/** Lines on their way to a file, encoded once, in pieces of at most `writeBytes` (a longer line is a piece of its own). */
export class TextBatch {
  #full: Buffer[] = [];
  #current: Buffer = Buffer.alloc(0);
  #used = 0;
  #spare: Buffer | undefined;

  get isFull(): boolean {
    return this.#full.length > 0;
  }

  put(line: string): void {
    // A UTF-16 unit takes three bytes at most.
    const longest = 3 * line.length + 1;
    if (this.#used + longest > this.#current.length) this.#makeRoom(longest);
    this.#used += this.#current.write(line, this.#used, "utf8");
    this.#current[this.#used++] = newline;
  }

  /** Valid until `recycle`. */
  take(): readonly Uint8Array[] {
    this.#finishPiece();
    const pieces = this.#full;
    this.#full = [];
    return pieces;
  }

  /** What `take` gave is written: one piece of the usual size is kept for the next time. */
  recycle(written: readonly Uint8Array[]): void {
    const usual = written.find((piece) => piece.buffer.byteLength === writeBytes);
    if (usual !== undefined) this.#spare ??= Buffer.from(usual.buffer);
  }

  #makeRoom(bytes: number): void {
    this.#finishPiece();
    this.#current =
      (bytes <= writeBytes ? this.#spare : undefined) ?? Buffer.allocUnsafeSlow(Math.max(bytes, writeBytes));
    if (this.#current === this.#spare) this.#spare = undefined;
  }

  #finishPiece(): void {
    if (this.#used > 0) this.#full.push(this.#current.subarray(0, this.#used));
    this.#current = Buffer.alloc(0);
    this.#used = 0;
  }
}
