import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame, FrameCollector, readFrameSync, type Reply, writeFrameSync } from "./frames.ts";

const frames = fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 300 })), { minLength: 1, maxLength: 8 });
const header = (id: number): Reply => ({ op: "output", id, stream: "stdout" });

describe("frames", () => {
  test("arrive whole, in order, however they were cut on the way", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(([id, payload]) => encodeFrame(header(id), payload)));
        const collector = new FrameCollector<Reply>(1 << 20);
        const received: [number, Uint8Array][] = [];
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const next = at + (cuts[index % cuts.length] ?? 1);
          for (const frame of collector.add(bytes.subarray(at, next))) {
            received.push([frame.header.op === "output" ? frame.header.id : -1, Uint8Array.from(frame.payload)]);
          }
          at = next;
        }
        expect(received).toEqual(sent);
      }),
    );
  });

  test("larger than allowed are refused before they are there", () => {
    const [start] = [encodeFrame(header(1), new Uint8Array(5000)).subarray(0, 8)];
    expect(() => new FrameCollector<Reply>(1000).add(start)).toThrow(RangeError);
  });

  test("written and read synchronously are the same, and the end is told", () => {
    const folder = mkdtempSync(join(tmpdir(), "hone-frames-"));
    const path = join(folder, "frames");
    const out = openSync(path, "w");
    writeFrameSync(out, header(7), Buffer.from("abc"));
    writeFrameSync(out, { op: "ready" });
    closeSync(out);
    const input = openSync(path, "r");
    expect(readFrameSync<Reply>(input)).toEqual({ header: header(7), payload: Uint8Array.from([97, 98, 99]) });
    expect(readFrameSync<Reply>(input)).toEqual({ header: { op: "ready" }, payload: new Uint8Array(0) });
    expect(readFrameSync<Reply>(input)).toBeUndefined();
    closeSync(input);
    rmSync(folder, { recursive: true });
  });
});
