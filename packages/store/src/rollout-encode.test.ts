import type { Rollout } from "@hone/core";
import { expect, test } from "vitest";
import { ColumnBatch, encodeRollout, toLittleEndian } from "./rollout-encode.ts";
import { rolloutOf } from "./testing/arbitrary-rollout.ts";

test("a line refers to columns from where the token file ends", () => {
  const { line, tokensEnd } = encodeRollout(rolloutOf(1), 640);
  expect(tokensEnd).toBe(640 + 4 * 16);
  expect(JSON.parse(line)).toMatchObject({ tokensEnd, nodes: [{}, { tokens: { at: 640, ids: 12, logprobs: 4 } }] });
});

test("a piece that is being written is not written into", () => {
  const batch = new ColumnBatch();
  const put = (rollout: Rollout): void => {
    for (const { tokens } of rollout.nodes) if (tokens !== undefined) batch.put(tokens);
  };
  put(rolloutOf(1));
  const taken = batch.take();
  const before = Buffer.concat(taken);
  put(rolloutOf(2));
  expect(Buffer.concat(taken).equals(before)).toBe(true);
  batch.recycle(taken);
  const second = Buffer.concat(batch.take());
  expect(second.readInt32LE(0)).toBe(2000);
  expect(second.length).toBe(before.length);
});

test("on a big-endian machine values are turned around", () => {
  expect([...toLittleEndian(Buffer.from([1, 2, 3, 4]), "BE")]).toEqual([4, 3, 2, 1]);
  expect([...toLittleEndian(Buffer.from([1, 2, 3, 4]), "LE")]).toEqual([1, 2, 3, 4]);
});

test("a state that was never set is null", () => {
  const { line } = encodeRollout({ ...rolloutOf(1), state: undefined }, 0);
  expect(JSON.parse(line)).toMatchObject({ state: null });
});
