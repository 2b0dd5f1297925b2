// How the host and a sealed child (Pyodide, the in-memory shell) talk: frames over pipes, a JSON header and raw bytes. The child reads and writes them
// synchronously, because its only thread is the one that runs programs; the host collects them as they come and believes nothing about their size.
import { readSync, writeSync } from "node:fs";

/** What a child is handed. Not the standard streams: Pyodide takes hold of those, and makes them such that reading does not wait. */
export const descriptors = { signalFile: 3, imageFile: 4, requests: 5, replies: 6, watch: 7 } as const;

/** Signals for programs that compute are also in a file: a count that changes with each, the program it is for, and its number. */
export const signalRecordBytes = 12;
export const signalNumbers = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 } as const;

/** What the host asks for. A run is answered by "ended" with the same id. */
export type Request<Body> =
  | RunRequest<Body>
  | { readonly op: "input"; readonly id: number }
  | { readonly op: "signal"; readonly id: number; readonly count: number; readonly signal: number }
  /** What is different in the host's copy of the files. Payload: the contents of the files, in order. */
  | { readonly op: "files"; readonly changed: readonly FileEntry[]; readonly removed: readonly string[] };

export interface RunRequest<Body> {
  readonly op: "run";
  readonly id: number;
  readonly body: Body;
  /** Where these are missing it is a job: output is sent as it comes, and input too. */
  readonly limits?: RunLimits;
}
export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}
/** What every program is started with. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What the child says. */
export type Reply =
  | { readonly op: "ready" }
  /** Payload: the kept standard output, then the kept standard error. */
  | {
      readonly op: "ended";
      readonly id: number;
      readonly exitCode: number;
      readonly timedOut: boolean;
      readonly stdoutBytes: number;
      readonly droppedBytes: number;
    }
  | { readonly op: "output"; readonly id: number; readonly stream: "stdout" | "stderr" }
  /** What programs changed in /work and /tmp, and how many "files" requests were seen before. Payload as above. */
  | {
      readonly op: "files";
      readonly seen: number;
      readonly changed: readonly FileEntry[];
      readonly removed: readonly string[];
    };

export interface FileEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
  /** Of a link. */
  readonly target?: string;
}

export interface Frame<Header> {
  readonly header: Header;
  readonly payload: Uint8Array;
}

const prefixBytes = 8;
const none = new Uint8Array(0);

export function encodeFrame(header: Request<unknown> | Reply, payload: Uint8Array = none): Uint8Array {
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(text.length, 0);
  prefix.writeUInt32LE(payload.length, 4);
  return Buffer.concat([prefix, text, payload]);
}

/** Collects frames out of chunks. Throws when one is announced that is larger than `maxBytes`. */
export class FrameCollector<Header> {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Uint8Array): readonly Frame<Header>[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame<Header>[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame<Header> | undefined {
    if (this.#bytes < prefixBytes) return undefined;
    if ((this.#chunks[0]?.length ?? 0) < prefixBytes) this.#join();
    const [headerBytes, payloadBytes] = lengths(this.#chunks[0] ?? none);
    const total = prefixBytes + headerBytes + payloadBytes;
    if (total > this.#maxBytes) throw new RangeError(`a frame of ${total} bytes`);
    if (this.#bytes < total) return undefined;
    const all = this.#join();
    this.#chunks = all.length === total ? [] : [all.subarray(total)];
    this.#bytes -= total;
    return parse<Header>(all.subarray(prefixBytes, total), headerBytes);
  }

  #join(): Uint8Array {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? none) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

/** The next frame, however long it takes; undefined when the other side has gone. */
export function readFrameSync<Header>(fd: number): Frame<Header> | undefined {
  const prefix = readFullySync(fd, prefixBytes);
  if (prefix === undefined) return undefined;
  const [headerBytes, payloadBytes] = lengths(prefix);
  const body = readFullySync(fd, headerBytes + payloadBytes);
  return body === undefined ? undefined : parse<Header>(body, headerBytes);
}

export function writeFrameSync(fd: number, header: Reply, payload?: Uint8Array): void {
  const bytes = encodeFrame(header, payload);
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

function readFullySync(fd: number, count: number): Uint8Array | undefined {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const read = readSync(fd, bytes, at, count - at, null);
    if (read === 0) return undefined;
    at += read;
  }
  return bytes;
}

function lengths(prefix: Uint8Array): readonly [number, number] {
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefixBytes);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}

function parse<Header>(body: Uint8Array, headerBytes: number): Frame<Header> {
  const header = JSON.parse(Buffer.from(body.buffer, body.byteOffset, headerBytes).toString()) as Header;
  return { header, payload: body.subarray(headerBytes) };
}
