// A safetensors file, open. The header is checked as a whole before anything else; tensors are read one at a time, when asked for.
// Nothing in the file decides an allocation before it was compared with the size of the file.
import { type FileHandle, open } from "node:fs/promises";
import type { HoneError } from "@hone/core";
import type { TensorInfo } from "./dtype.ts";
import { type Fail, type Header, parseHeader } from "./header-parse.ts";
import { checkLayout, mostHeaderBytes, type PlacedTensor } from "./layout.ts";
import { type Tensor, tensorOf } from "./tensor.ts";
import { badWeights, missingTensor, onDisk, quote } from "./weights-error.ts";

/** Tensors by name, in a file or a folder. */
export interface TensorReader extends AsyncDisposable {
  /** In the order of the file. */
  tensors(): readonly TensorInfo[];
  info(name: string): TensorInfo | undefined;
  /** A copy in memory of its own. Code "missing-tensor" for a name that is not there. */
  read(name: string): Promise<Tensor>;
}

export interface SafetensorsFile extends TensorReader {
  readonly metadata: Readonly<Record<string, string>>;
}

const lengthBytes = 8;
/** One system call reads less than 2 GiB. */
const bytesPerRead = 2 ** 28;

export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  const handle = await open(path, "r").catch((error: unknown) => {
    throw onDisk(path, "open", error);
  });
  const file: OpenFile = { path, handle };
  try {
    const { header, dataStart, dataBytes } = await readHeader(file);
    return readerOf(file, {
      metadata: header.metadata,
      dataStart,
      placed: checkLayout(header, dataBytes, failure(path)),
    });
  } catch (error) {
    await handle.close();
    throw onDisk(path, "read", error);
  }
}

interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
}
interface Contents {
  readonly metadata: Readonly<Record<string, string>>;
  readonly dataStart: number;
  readonly placed: readonly PlacedTensor[];
}

async function readHeader(file: OpenFile): Promise<{ header: Header; dataStart: number; dataBytes: number }> {
  const fail: Fail = failure(file.path);
  const stats = await file.handle.stat();
  if (!stats.isFile()) fail("it is not a file");
  if (stats.size < lengthBytes) fail(`${stats.size} bytes are no safetensors file`);
  const length = new DataView((await readBytes(file, 0, lengthBytes)).buffer).getBigUint64(0, true);
  if (length > BigInt(mostHeaderBytes)) fail(`its header would be ${length} bytes; ${mostHeaderBytes} are allowed`);
  const dataStart = lengthBytes + Number(length);
  if (dataStart > stats.size) fail(`its header would end ${dataStart - stats.size} bytes beyond the end of the file`);
  const text = decodeText(await readBytes(file, lengthBytes, Number(length)), fail);
  return { header: parseHeader(text, fail), dataStart, dataBytes: stats.size - dataStart };
}

function failure(path: string): Fail {
  return (problem) => {
    throw badWeights(path, problem);
  };
}

function decodeText(bytes: Uint8Array, fail: Fail): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail("its header is not UTF-8");
  }
}

function readerOf(file: OpenFile, { metadata, dataStart, placed }: Contents): SafetensorsFile {
  const byName = new Map(placed.map((tensor) => [tensor.name, tensor]));
  return {
    metadata,
    tensors: () => placed,
    info: (name) => byName.get(name),
    async read(name) {
      const tensor = byName.get(name);
      if (tensor === undefined) throw missingTensor(file.path, name, [...byName.keys()]);
      try {
        return tensorOf(tensor, await readBytes(file, dataStart + tensor.start, tensor.byteLength));
      } catch (error) {
        throw error instanceof RangeError ? doesNotFit(file.path, tensor) : onDisk(file.path, "read", error);
      }
    },
    [Symbol.asyncDispose]: () => file.handle.close(),
  };
}

function doesNotFit(path: string, { name, byteLength }: TensorInfo): HoneError {
  const hint = "One tensor may have 4 GiB at most, and that much memory must be free.";
  return badWeights(path, `tensor ${quote(name)} of ${byteLength} bytes cannot be held in memory`, hint);
}

async function readBytes(file: OpenFile, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const part = bytes.subarray(done, done + bytesPerRead);
    const { bytesRead } = await file.handle.read(part, 0, part.length, position + done);
    if (bytesRead === 0) throw badWeights(file.path, `it was cut to ${position + done} bytes while it was read`);
    done += bytesRead;
  }
  return bytes;
}
