// Writing a safetensors file as the reference implementation does, atomically: the old file or the new one, never a part.
// The header comes first and needs every shape; the bytes are asked for one tensor at a time, in the order of the file.
import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Awaitable } from "@hone/core";
import { syncFolder } from "../atomic.ts";
import {
  byteLengthOf,
  compareTensors,
  type Dtype,
  elementBytes,
  type FloatDtype,
  isDtype,
  isFloat,
  type TensorInfo,
} from "./dtype.ts";
import { metadataName } from "./header-parse.ts";
import { headerBytes, mostHeaderBytes } from "./layout.ts";
import { encodedChunks } from "./tensor.ts";
import { badTensor, badWeights, onDisk } from "./weights-error.ts";

/** Float32 values, stored as `dtype`, or the little-endian bytes of `dtype` in any other view. */
export type TensorData = NodeJS.ArrayBufferView;

export interface TensorSource {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** A function is called when its turn comes: one tensor in memory at a time. */
  readonly data: TensorData | (() => Awaitable<TensorData>);
}
export interface NamedTensorSource extends TensorSource {
  readonly name: string;
}
/** An iterable is read to its end before the first byte is written. */
export type TensorSources =
  | Readonly<Record<string, TensorSource>>
  | Iterable<NamedTensorSource>
  | AsyncIterable<NamedTensorSource>;

export interface WriteSafetensorsOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Stores every float tensor as this type. */
  readonly dtype?: FloatDtype;
}

/** A source as it will be stored: `dtype` and `byteLength` are the file's, `source.dtype` is the data's. */
export interface PlannedTensor extends TensorInfo {
  readonly source: TensorSource;
}

export async function writeSafetensors(
  path: string,
  tensors: TensorSources,
  options: WriteSafetensorsOptions = {},
): Promise<void> {
  const planned = await planTensors(tensors, options.dtype);
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeNewSafetensors(temporary, planned, options.metadata);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw onDisk(path, "write", error);
  }
}

/** Checked, in the order given. */
export async function planTensors(tensors: TensorSources, dtype?: FloatDtype): Promise<readonly PlannedTensor[]> {
  const planned = new Map<string, PlannedTensor>();
  for await (const source of sourcesOf(tensors)) {
    const { name, shape } = source;
    if (name === metadataName || /\p{Surrogate}/u.test(name)) throw badTensor(name, "cannot have this name");
    if (planned.has(name)) throw badTensor(name, "is given twice");
    if (!isDtype(source.dtype)) throw badTensor(name, `has an unknown dtype ${String(source.dtype)}`);
    const stored = dtype !== undefined && isFloat(source.dtype) ? dtype : source.dtype;
    const byteLength = byteLengthOf(stored, shape);
    if (byteLength === undefined) throw badTensor(name, `has an impossible shape [${shape.join(", ")}]`);
    planned.set(name, { name, dtype: stored, shape, byteLength, source });
  }
  return [...planned.values()];
}

function sourcesOf(tensors: TensorSources): Iterable<NamedTensorSource> | AsyncIterable<NamedTensorSource> {
  if (Symbol.asyncIterator in tensors || Symbol.iterator in tensors) {
    return tensors as Iterable<NamedTensorSource> | AsyncIterable<NamedTensorSource>;
  }
  return Object.entries(tensors).map(([name, source]) => ({ ...source, name }));
}

/** A file that was not there before, on the disk when this resolves. */
export async function writeNewSafetensors(
  path: string,
  planned: readonly PlannedTensor[],
  metadata?: Readonly<Record<string, string>>,
): Promise<void> {
  const texts = Object.entries(metadata ?? {}).flat();
  if (texts.some((text) => /\p{Surrogate}/u.test(text))) {
    throw badWeights(path, "half of a surrogate pair in the metadata cannot be written", "Use well-formed text.");
  }
  const ordered = [...planned].sort(compareTensors);
  const header = headerBytes(ordered, metadata);
  if (header.length - 8 > mostHeaderBytes) {
    throw badWeights(
      path,
      `its header would be ${header.length - 8} bytes; ${mostHeaderBytes} are allowed`,
      "Write more than one file.",
    );
  }
  const file = await open(path, "wx");
  try {
    await writeAll(file, header);
    for (const tensor of ordered) {
      for (const chunk of await chunksOf(tensor)) await writeAll(file, chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}

async function chunksOf({ name, dtype, shape, source }: PlannedTensor): Promise<Iterable<Uint8Array>> {
  const data = typeof source.data === "function" ? await source.data() : source.data;
  const isFloats = data instanceof Float32Array;
  if (isFloats && !isFloat(source.dtype)) throw badTensor(name, `is ${source.dtype}, but its data are floats`);
  const given = isFloats ? "F32" : source.dtype;
  if (data.byteLength !== byteLengthOf(given, shape)) {
    const count = data.byteLength / elementBytes(given);
    throw badTensor(name, `has ${count} elements of ${given}, which is not its shape [${shape.join(", ")}]`);
  }
  return encodedChunks(data, { from: given, to: dtype });
}
