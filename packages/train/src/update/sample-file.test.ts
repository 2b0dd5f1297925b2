import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runs, Sample } from "@hone/core";
import { samplesPath } from "@hone/store";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { sampleOf } from "../sample/testing/rollouts.ts";
import { encodeSample, readSamples, writeSamples } from "./sample-file.ts";

const column = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 });
const samples = fc.record({ column, hasReference: fc.boolean(), hasMore: fc.boolean() }).map((made): Sample => {
  const sample = sampleOf(made.column);
  const { length } = sample.tokens;
  const component: Runs<"rl" | "ce"> = { values: ["rl", "ce"], lengths: [1, length - 1] };
  return {
    ...sample,
    weight: Float32Array.of(0, ...made.column.map((value) => value / 3)),
    ...(made.hasReference && { reference: new Float32Array(length).fill(-0.1) }),
    ...(made.hasMore && { component, extras: { note: 'a "quoted" note', n: 1 } }),
  };
});

test("a line is what the schema of samples writes, and reads back as the same sample", () => {
  fc.assert(
    fc.property(samples, (sample) => {
      const line: unknown = JSON.parse(encodeSample(sample));
      expect(line).toEqual(z.encode(Sample, sample));
      expect(z.decode(Sample, line)).toEqual(sample);
    }),
  );
});

test("columns that are parts of a larger buffer are written as themselves", () => {
  const whole = Float32Array.of(9, 9, 0, 0.5, 9);
  const sample = { ...sampleOf([1]), advantage: whole.subarray(2, 4) };
  expect(z.decode(Sample, JSON.parse(encodeSample(sample))).advantage).toEqual(Float32Array.of(0, 0.5));
});

test("a file has all samples of its update, in order, however many", async () => {
  const directory = await mkdtemp(join(tmpdir(), "hone-samples-"));
  try {
    const many = Array.from({ length: 300 }, (_, index) => sampleOf(Array.from({ length: 400 }, () => index)));
    await writeSamples(directory, 3, many);
    expect((await readFile(samplesPath(directory, 3, "jsonl"), "utf8")).length).toBeGreaterThan(1 << 20);
    expect(await readSamples(directory, 3)).toEqual(many);
    await expect(readSamples(directory, 4)).rejects.toThrow("there are no samples of update 4");
  } finally {
    await rm(directory, { recursive: true });
  }
});
