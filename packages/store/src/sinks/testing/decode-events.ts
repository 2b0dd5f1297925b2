// Test helper: TensorBoard's event files, read by the published formats and by nothing of the code that writes them. A checksum that is wrong throws.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface DecodedEvent {
  readonly wallTime: number;
  readonly step: number;
  readonly version?: string;
  readonly isRestart: boolean;
  readonly scalars: Readonly<Record<string, number>>;
}

/** All files of a folder, in the order that readers go through them. A record that a kill cut short ends its file. */
export async function readEvents(folder: string): Promise<readonly DecodedEvent[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith("events.out.tfevents.")).sort();
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
  return contents.flatMap(decodeEvents);
}

export function decodeEvents(bytes: Buffer): readonly DecodedEvent[] {
  const events: DecodedEvent[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + 12 > bytes.length) break;
    const length = Number(bytes.readBigUInt64LE(at));
    if (at + 16 + length > bytes.length) break;
    check(bytes.subarray(at, at + 8), bytes.readUInt32LE(at + 8));
    const content = bytes.subarray(at + 12, at + 12 + length);
    check(content, bytes.readUInt32LE(at + 12 + length));
    events.push(decodeEvent(content));
    at += 16 + length;
  }
  return events;
}

function decodeEvent(content: Buffer): DecodedEvent {
  let event: DecodedEvent = { wallTime: 0, step: 0, isRestart: false, scalars: {} };
  for (const { field, number, bytes } of fieldsOf(content)) {
    if (field === 1) event = { ...event, wallTime: bytes.readDoubleLE() };
    if (field === 2) event = { ...event, step: number };
    if (field === 3) event = { ...event, version: bytes.toString() };
    if (field === 5) event = { ...event, scalars: Object.fromEntries(fieldsOf(bytes).map(scalarOf)) };
    if (field === 7) event = { ...event, isRestart: fieldsOf(bytes)[0]?.number === 1 };
  }
  return event;
}

function scalarOf({ bytes }: Field): readonly [string, number] {
  const [name, value] = fieldsOf(bytes);
  return [name?.bytes.toString() ?? "", value?.bytes.readFloatLE() ?? 0];
}

interface Field {
  readonly field: number;
  readonly number: number;
  readonly bytes: Buffer;
}

function fieldsOf(content: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = content[at++] ?? 0;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < content.length) {
    const key = varint();
    const wireType = key % 8;
    const number = wireType === 0 || wireType === 2 ? varint() : 0;
    const length = { 0: 0, 1: 8, 2: number, 5: 4 }[wireType] ?? Number.NaN;
    fields.push({ field: Math.floor(key / 8), number, bytes: content.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

function check(bytes: Buffer, masked: number): void {
  const rotated = (masked - 0xa282ead8) >>> 0;
  const expected = ((rotated << 15) | (rotated >>> 17)) >>> 0;
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  if ((crc ^ 0xffffffff) >>> 0 !== expected) throw new Error("a checksum is wrong");
}
