import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import { compact, fromWire, sequencesOf, toWire, wireAnswer } from "./protocol.ts";

test("an error crosses with its code and its hint", () => {
  const error = fromWire(toWire(new HoneError("what", { code: "non-finite", hint: "next" })));
  expect(HoneError.is(error)).toBe(true);
  expect(error).toMatchObject({ message: "what", code: "non-finite", hint: "next" });
  expect(fromWire(toWire(new TypeError("broken")))).toMatchObject({ message: "broken", code: "engine" });
  expect(fromWire(toWire("text"))).toMatchObject({ message: "text", code: "engine" });
});

test("an array takes nothing else along and shares nothing", () => {
  const whole = Float32Array.of(1, 2, 3);
  expect(compact(whole)).toBe(whole);
  const shared = new Float32Array(new SharedArrayBuffer(8)).fill(4);
  for (const view of [whole.subarray(1), shared]) {
    const own = compact(view);
    expect(own).toEqual(Float32Array.from(view));
    expect(own.buffer).not.toBe(view.buffer);
    expect(own.buffer.byteLength).toBe(own.byteLength);
  }
});

test("the arrays of an answer are handed over, each buffer once", () => {
  const [ids, logprobs] = [Int32Array.of(1, 2), Float32Array.of(-1, -2)];
  const sequence = { ids, logprobs, policyVersion: { values: [0], lengths: [2] }, finish: "stop" as const };
  const generation = wireAnswer({ sequences: [sequence, { ...sequence, ids: ids.subarray(1) }] });
  expect(generation.transfers.length).toBe(3);
  const value = structuredClone(generation.value, { transfer: generation.transfers });
  expect(value).toEqual({
    sequences: [
      { ...sequence, ids: Int32Array.of(1, 2), logprobs: Float32Array.of(-1, -2) },
      { ...sequence, ids: Int32Array.of(2), logprobs: Float32Array.of(-1, -2) },
    ],
  });
  expect(ids.length).toBe(0);
  const report = wireAnswer({ loss: 1, logprobs: [Float32Array.of(5)], metrics: {} });
  expect([report.value, report.transfers.length]).toEqual([
    { loss: 1, logprobs: [Float32Array.of(5)], metrics: {} },
    1,
  ]);
  const scores = wireAnswer([Float32Array.of(1), Float32Array.of(2)]);
  expect([scores.value, scores.transfers.length]).toEqual([[Float32Array.of(1), Float32Array.of(2)], 2]);
  expect(wireAnswer(null)).toEqual({ value: null, transfers: [] });
});

test("what is no count of sequences counts as none", () => {
  const sampling = { maxTokens: 1, temperature: 1, seed: 0, stopTokens: [] };
  const generate = (count: number) =>
    sequencesOf({ method: "generate", policy: "latest", request: { prompt: Int32Array.of(1), count, sampling } });
  expect([3, 0, -2, Number.NaN, 1.5].map(generate)).toEqual([3, 0, 0, 0, 0]);
  expect(sequencesOf({ method: "publish", trainer: 1 })).toBe(0);
});
