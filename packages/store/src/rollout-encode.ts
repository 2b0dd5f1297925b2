// Rollout to a line and token columns. The line is the rollout's JSON with a reference in place of each node's columns:
// `tokens: { at, ids, logprobs, ... }` where `at` is a byte offset into the token file and the others are lengths (ids, then logprobs, 4 bytes each,
// little-endian). `tokensEnd` is where the token file ends after this rollout: a line is whole only when the token file reaches that far.
import { endianness } from "node:os";
import { HoneError, type NodeTokens, type Rollout } from "@hone/core";
import { writeBytes } from "./write-queue.ts";

interface EncodedRollout {
  readonly line: string;
  readonly tokensEnd: number;
}

/** `tokensAt`: where the first column will lie in the token file. */
export function encodeRollout(rollout: Rollout, tokensAt: number): EncodedRollout {
  let at = tokensAt;
  const nodes = rollout.nodes.map((node) => {
    if (node.tokens === undefined) return node;
    const { ids, sampledFrom, logprobs, policyVersion } = node.tokens;
    const tokens = { at, ids: ids.length, sampledFrom, logprobs: logprobs.length, policyVersion };
    at += 4 * (ids.length + logprobs.length);
    return { ...node, tokens };
  });
  try {
    // A state that was never set is null: JSON would drop it, and the row could not be read back.
    const line = JSON.stringify({ ...rollout, nodes, state: rollout.state ?? null, tokensEnd: at });
    return { line, tokensEnd: at };
  } catch (error) {
    throw new HoneError(`rollout ${rollout.id} of ${rollout.env} cannot be written: ${String(error)}`, {
      code: "bad-row",
      hint: "State and info must be plain data: no cycles, no bigint.",
      cause: error,
    });
  }
}

interface Chunk {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  /** In values of 4 bytes. */
  used: number;
}

/** Columns on their way to the token file, copied once, in pieces of about `writeBytes`. */
export class ColumnBatch {
  #full: Chunk[] = [];
  #current: Chunk = createChunk(0);
  #spare: Chunk | undefined;

  get isFull(): boolean {
    return this.#full.length > 0;
  }

  put({ ids, logprobs }: NodeTokens): void {
    const chunk = this.#room(ids.length + logprobs.length);
    chunk.ids.set(ids, chunk.used);
    chunk.logprobs.set(logprobs, chunk.used + ids.length);
    chunk.used += ids.length + logprobs.length;
  }

  /** Valid until `recycle`. */
  take(): readonly Uint8Array[] {
    const chunks = this.#full;
    if (this.#current.used > 0) chunks.push(this.#current);
    else this.#spare ??= this.#current;
    this.#full = [];
    this.#current = this.#spare ?? createChunk(writeBytes / 4);
    this.#spare = undefined;
    return chunks.map((chunk) => toLittleEndian(Buffer.from(chunk.ids.buffer, 0, chunk.used * 4), endianness()));
  }

  /** What `take` gave is written: one piece of the usual size is kept for the next time. */
  recycle(written: readonly Uint8Array[]): void {
    const usual = written.find((bytes) => bytes.buffer.byteLength === writeBytes);
    if (usual !== undefined) this.#spare ??= createChunk(writeBytes / 4, usual.buffer as ArrayBuffer);
  }

  #room(values: number): Chunk {
    const chunk = this.#current;
    if (chunk.used + values <= chunk.ids.length) return chunk;
    if (chunk.used > 0) this.#full.push(chunk);
    this.#current = createChunk(Math.max(values, writeBytes / 4));
    return this.#current;
  }
}

function createChunk(values: number, buffer: ArrayBuffer = new ArrayBuffer(values * 4)): Chunk {
  return { ids: new Int32Array(buffer), logprobs: new Float32Array(buffer), used: 0 };
}

/** The file is little-endian on every machine; elsewhere the 4-byte values are turned around, in place. */
export function toLittleEndian(bytes: Buffer, order: "LE" | "BE"): Buffer {
  return order === "LE" ? bytes : bytes.swap32();
}
