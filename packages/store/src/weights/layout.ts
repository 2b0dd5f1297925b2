// Where the tensors of a file lie. Reading: every byte after the header belongs to exactly one tensor, or the file is refused.
// Writing: the header of the reference implementation, byte for byte, padded with spaces so that the data starts at a multiple of 8.
import { byteLengthOf, dtypes, isDtype, type TensorInfo } from "./dtype.ts";
import { type Fail, type Header, type HeaderTensor, metadataName } from "./header-parse.ts";
import { quote } from "./weights-error.ts";

/** As the reference implementation: larger headers are refused. */
export const mostHeaderBytes = 100_000_000;

export interface PlacedTensor extends TensorInfo {
  /** From the start of the data, in bytes. */
  readonly start: number;
}

/** In the order of the file. */
export function checkLayout(header: Header, dataBytes: number, fail: Fail): readonly PlacedTensor[] {
  const placed = header.tensors.map((tensor) => placedTensor(tensor, fail));
  placed.sort((left, right) => left.start - right.start || left.byteLength - right.byteLength);
  let end = 0;
  for (const { name, start, byteLength } of placed) {
    if (start > end) fail(`${start - end} bytes before tensor ${quote(name)} belong to no tensor`);
    if (start < end) fail(`tensor ${quote(name)} overlaps the one before it`);
    end += byteLength;
    if (end > dataBytes) fail(`tensor ${quote(name)} ends ${end - dataBytes} bytes beyond the end of the file`);
  }
  if (end < dataBytes) fail(`${dataBytes - end} bytes after the last tensor belong to none`);
  return placed;
}

function placedTensor({ name, dtype, shape, offsets }: HeaderTensor, fail: Fail): PlacedTensor {
  const [start = 0, end = 0] = offsets;
  if (!isDtype(dtype))
    return fail(`tensor ${quote(name)} has the dtype ${quote(dtype)}, not one of ${dtypes.join(", ")}`);
  const byteLength = byteLengthOf(dtype, shape);
  if (byteLength === undefined) return fail(`tensor ${quote(name)} has an impossible shape [${shape.join(", ")}]`);
  if (end - start !== byteLength) {
    fail(
      `tensor ${quote(name)}: ${dtype} [${shape.join(", ")}] is ${byteLength} bytes, its offsets say ${end - start}`,
    );
  }
  return { name, dtype, shape, byteLength, start };
}

/** The length and the JSON text, ready to be the start of a file whose data follows in the order of `tensors`. */
export function headerBytes(
  tensors: readonly TensorInfo[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const members: string[] = [];
  const pairs = Object.entries(metadata).sort(([left], [right]) => (left < right ? -1 : 1));
  if (pairs.length > 0) members.push(`"${metadataName}":${JSON.stringify(Object.fromEntries(pairs))}`);
  let end = 0;
  for (const { name, dtype, shape, byteLength } of tensors) {
    const offsets = [end, (end += byteLength)];
    members.push(`${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: offsets })}`);
  }
  const text = Buffer.from(`{${members.join(",")}}`);
  const bytes = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, " ");
  bytes.writeBigUInt64LE(BigInt(bytes.length - 8));
  text.copy(bytes, 8);
  return bytes;
}
