// TensorBoard's events as bytes: a record is length, its checksum, content, its checksum; the content is an `Event` in protobuf's wire format.
// Field numbers are those of TensorFlow's event.proto and summary.proto; only what scalars need is written.
import { maskedCrc32c } from "./crc32c.ts";

/** Protobuf's wire types. */
const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed32 = 5;

const sessionStart = 1;

export interface ScalarEvent {
  readonly wallTimeMs: number;
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** What a file has to begin with. */
export function encodeVersion(wallTimeMs: number): Buffer {
  return encodeRecord([wallTime(wallTimeMs), bytesField(3, Buffer.from("brain.Event:2"))]);
}

/** Readers forget what came with this step or a later one. */
export function encodeRestart(wallTimeMs: number, step: number): Buffer {
  const session = Buffer.concat([tag(1, varint), encodeVarint(sessionStart)]);
  return encodeRecord([wallTime(wallTimeMs), stepField(step), bytesField(7, session)]);
}

export function encodeScalars({ wallTimeMs, step, metrics }: ScalarEvent): Buffer {
  const values = Object.entries(metrics).map(([name, value]) =>
    bytesField(1, Buffer.concat([bytesField(1, Buffer.from(name)), floatField(2, value)])),
  );
  return encodeRecord([wallTime(wallTimeMs), stepField(step), bytesField(5, Buffer.concat(values))]);
}

function encodeRecord(fields: readonly Buffer[]): Buffer {
  const content = Buffer.concat(fields);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(content.length));
  return Buffer.concat([length, checksum(length), content, checksum(content)]);
}

function checksum(bytes: Buffer): Buffer {
  const encoded = Buffer.alloc(4);
  encoded.writeUInt32LE(maskedCrc32c(bytes));
  return encoded;
}

function wallTime(wallTimeMs: number): Buffer {
  const seconds = Buffer.alloc(8);
  seconds.writeDoubleLE(wallTimeMs / 1000);
  return Buffer.concat([tag(1, fixed64), seconds]);
}

function stepField(step: number): Buffer {
  return Buffer.concat([tag(2, varint), encodeVarint(step)]);
}

function floatField(field: number, value: number): Buffer {
  const encoded = Buffer.alloc(4);
  encoded.writeFloatLE(value);
  return Buffer.concat([tag(field, fixed32), encoded]);
}

function bytesField(field: number, content: Buffer): Buffer {
  return Buffer.concat([tag(field, delimited), encodeVarint(content.length), content]);
}

function tag(field: number, wireType: number): Buffer {
  return encodeVarint(field * 8 + wireType);
}

/** Seven bits at a time, the lowest first. Arithmetic instead of shifts: steps may exceed 32 bits. */
function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
