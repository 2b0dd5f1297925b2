// A tensor in memory: raw little-endian bytes with a shape, as float32 on demand. And the way back: chunks of bytes for a file.
import { type Dtype, elementBytes, type FloatDtype, floatDtypes, isFloat, type TensorInfo } from "./dtype.ts";
import { narrowBfloat16, narrowFloat16, widenBfloat16, widenFloat16 } from "./half.ts";
import { badTensor } from "./weights-error.ts";

export interface Tensor extends TensorInfo {
  readonly bytes: Uint8Array;
  /** The values of F32 (the same memory as `bytes`), F16, BF16 (exact) or F64 (rounded). */
  toFloat32(): Float32Array;
}

export function tensorOf(info: TensorInfo, bytes: Uint8Array): Tensor {
  return {
    name: info.name,
    dtype: info.dtype,
    shape: info.shape,
    byteLength: info.byteLength,
    bytes,
    toFloat32() {
      if (isFloat(info.dtype)) return decodeFloats(bytes, info.dtype);
      throw badTensor(info.name, `is ${info.dtype}, not one of ${floatDtypes.join(", ")}`, "Use its `bytes`.");
    },
  };
}

/** Shares the memory of `bytes` for F32 where its alignment allows. */
export function decodeFloats(bytes: Uint8Array, dtype: FloatDtype): Float32Array {
  const size = elementBytes(dtype);
  const { buffer, byteOffset } = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  const length = bytes.byteLength / size;
  if (dtype === "F32") return new Float32Array(buffer, byteOffset, length);
  if (dtype === "F64") return new Float32Array(new Float64Array(buffer, byteOffset, length));
  const values = new Float32Array(length);
  (dtype === "BF16" ? widenBfloat16 : widenFloat16)(new Uint16Array(buffer, byteOffset, length), values);
  return values;
}

export function encodeFloats(values: Float32Array, dtype: FloatDtype): Uint8Array {
  if (dtype === "F32") return bytesOf(values);
  if (dtype === "F64") return bytesOf(new Float64Array(values));
  const halves = new Uint16Array(values.length);
  (dtype === "BF16" ? narrowBfloat16 : narrowFloat16)(values, halves);
  return bytesOf(halves);
}

function bytesOf(view: NodeJS.ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** `data`, which is float32 values or bytes of `from`, as bytes of `to`, a part at a time: conversion needs little memory of its own. */
export function* encodedChunks(
  data: NodeJS.ArrayBufferView,
  {
    from,
    to,
    elementsPerChunk = 2 ** 21,
  }: { readonly from: Dtype; readonly to: Dtype; readonly elementsPerChunk?: number },
): Generator<Uint8Array> {
  const given = data instanceof Float32Array ? "F32" : from;
  const bytes = bytesOf(data);
  const step = elementsPerChunk * elementBytes(given);
  for (let start = 0; start < bytes.byteLength; start += step) {
    const chunk = bytes.subarray(start, start + step);
    yield given !== to && isFloat(given) && isFloat(to) ? encodeFloats(decodeFloats(chunk, given), to) : chunk;
  }
}
