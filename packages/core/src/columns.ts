// Typed-array columns in JSON: base64 of the little-endian bytes. `JSON.stringify` of a typed array is an object of digits; these codecs are the only way out.
import * as z from "zod";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Two digits for every 12 bits: half as many steps. */
const digitPairs = Array.from({ length: 4096 }, (_, bits) => alphabet[bits >> 6]! + alphabet[bits & 63]!);
const values = new Uint8Array(128).fill(255);
for (let index = 0; index < 64; index++) values[alphabet.charCodeAt(index)] = index;

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const whole = bytes.length - (bytes.length % 3);
  for (let start = 0; start < whole; start += 24_573) {
    let piece = "";
    const stop = Math.min(start + 24_573, whole);
    for (let index = start; index < stop; index += 3) {
      const word = (bytes[index]! << 16) | (bytes[index + 1]! << 8) | bytes[index + 2]!;
      piece += digitPairs[word >> 12]! + digitPairs[word & 4095]!;
    }
    pieces.push(piece);
  }
  if (whole < bytes.length) {
    const word = (bytes[whole]! << 16) | ((bytes[whole + 1] ?? 0) << 8);
    const isTwo = whole + 1 < bytes.length;
    pieces.push(digitPairs[word >> 12]!, isTwo ? alphabet[(word >> 6) & 63]! : "=", "=");
  }
  return pieces.join("");
}

/** Undefined when the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let index = 0, at = 0; index < text.length; index += 4, at += 3) {
    let word = 0;
    for (let offset = 0; offset < 4; offset++) {
      const code = text.charCodeAt(index + offset);
      const value = code === 61 && index + offset >= text.length - padding ? 0 : (values[code] ?? 255);
      if (value === 255) return undefined;
      word = (word << 6) | value;
    }
    bytes[at] = word >> 16;
    if (at + 1 < bytes.length) bytes[at + 1] = (word >> 8) & 255;
    if (at + 2 < bytes.length) bytes[at + 2] = word & 255;
  }
  return bytes;
}

function column<Column extends Int32Array | Float32Array>(
  create: (buffer: ArrayBuffer) => Column,
  isColumn: (value: unknown) => value is Column,
): z.ZodCodec<z.ZodString, z.ZodCustom<Column, Column>> {
  return z.codec(z.string(), z.custom<Column>(isColumn), {
    decode: (text, context) => {
      const bytes = fromBase64(text);
      if (bytes !== undefined && bytes.length % 4 === 0) return create(bytes.buffer as ArrayBuffer);
      context.issues.push({ code: "custom", input: text, message: "not a base64 column of 4-byte values" });
      return z.NEVER;
    },
    encode: (values, context) => {
      // An object with checks is encoded once before they run, absent optional columns included.
      if (isColumn(values)) return toBase64(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      context.issues.push({ code: "custom", input: values, message: "not a column" });
      return z.NEVER;
    },
  });
}

export const Int32Column = column(
  (buffer) => new Int32Array(buffer),
  (value): value is Int32Array => value instanceof Int32Array,
);
export const Float32Column = column(
  (buffer) => new Float32Array(buffer),
  (value): value is Float32Array => value instanceof Float32Array,
);
