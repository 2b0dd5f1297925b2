// What a command printed, up to a cap: the beginning is kept, the rest is only counted. Memory stays bounded whatever a program prints,
// and the cut never splits a character.

export class CappedOutput {
  readonly #limit: number;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #droppedBytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  add(chunk: Uint8Array): void {
    const room = this.#limit - this.#keptBytes;
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
    if (kept.length > 0) this.#kept.push(kept);
    this.#keptBytes += kept.length;
    this.#droppedBytes += chunk.length - kept.length;
  }

  get isCut(): boolean {
    return this.#droppedBytes > 0;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#kept);
  }

  finish(): { readonly text: string; readonly droppedBytes: number } {
    const bytes = this.bytes();
    const tail = this.isCut ? unfinishedTail(bytes) : 0;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, bytes.length - tail));
    return { text, droppedBytes: this.#droppedBytes + tail };
  }
}

/** How many bytes at the end begin a UTF-8 character without finishing it: 0 to 3. */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? back : 0;
  }
  return 0;
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
