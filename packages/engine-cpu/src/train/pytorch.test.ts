// Against what PyTorch computed in double precision: fixtures/make.py.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { LossSpec, RolloutId, Sample, SampleId } from "@hone/core";
import { runsOf } from "@hone/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kernelsOf } from "../kernel/kernels.ts";
import { buildsHere } from "../kernel/testing/builds.ts";
import { loadDecoder } from "../model/load-model.ts";
import { scoreSequences } from "../model/score.ts";
import type { DecoderWeights } from "../model/weights.ts";
import { createTrainer } from "./create-trainer.ts";
import { importAdapter } from "./import-adapter.ts";
import type { CpuTrainer, TrainerState } from "./trainer.ts";

interface Measured {
  readonly logprobs: readonly (readonly number[])[];
  readonly "at 0.7": readonly (readonly number[])[];
  readonly gradients: Readonly<Record<string, Summary>>;
  /** Loss before each step, and the norm of its gradient. */
  readonly steps: readonly (readonly [number, number])[];
  readonly parameters: Readonly<Record<string, Summary>>;
}
/** Norm, and product with cos(0), cos(1), ... */
type Summary = readonly [number, number];
interface Expected {
  readonly sequences: readonly (readonly number[])[];
  readonly optimizer: {
    readonly lr: number;
    readonly betas: readonly [number, number];
    readonly eps: number;
    readonly weight_decay: number;
    readonly clip: number;
  };
  readonly full: Measured;
  readonly lora: Measured;
}

const folders = ["qwen3", "qwen3-yarn", "qwen2", "llama3", "llama-linear"];
const folderOf = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const expectedOf = (name: string): Expected =>
  JSON.parse(readFileSync(`${folderOf(name)}/expected.json`, "utf8")) as Expected;

/** The mean of -logprob. */
function samplesOf(sequences: Expected["sequences"]): readonly Sample[] {
  const terms = sequences.reduce((sum, ids) => sum + ids.length - 1, 0);
  return sequences.map((ids, index) => ({
    id: `s${index}` as SampleId,
    rollout: "r" as RolloutId,
    agent: "agent",
    env: "fixture",
    branch: 0,
    tokens: Int32Array.from(ids),
    weight: Float32Array.from(ids, (_, at) => (at === 0 ? 0 : 1 / terms)),
    advantage: new Float32Array(ids.length),
    logprob: new Float32Array(ids.length),
    temperature: runsOf(1, ids.length),
    policyVersion: runsOf(0, ids.length),
  }));
}

function run<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function worst(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  return Array.from(expected).reduce((most, value, at) => Math.max(most, Math.abs(actual[at]! - value)), 0);
}

function summaryOf(values: Float32Array): Summary {
  const [squares, wave] = values.reduce(([sum, wave], value, at) => [sum + value ** 2, wave + value * Math.cos(at)], [
    0, 0,
  ] as [number, number]);
  return [Math.sqrt(squares), wave];
}

const crossEntropy: LossSpec = { type: "cross_entropy" };

describe.each(buildsHere().filter(({ name }) => name !== "baseline"))("$name", ({ open }) => {
  const kernels = kernelsOf(open(1));
  afterAll(() => kernels.close());

  describe.each(folders)("%s", (name) => {
    const { sequences, optimizer, full, lora } = expectedOf(name);
    let base: DecoderWeights;
    let adapter: TrainerState;
    beforeAll(async () => {
      base = await loadDecoder(kernels, folderOf(name));
      adapter = await importAdapter(`${folderOf(name)}/adapter`, base);
    });
    const open = (kind: "full" | "lora", isRecomputing = false): CpuTrainer =>
      createTrainer({
        kernels,
        base,
        adapter: kind === "full" ? "full" : adapter.adapter,
        ...(kind === "lora" && { from: adapter }),
        rowTokens: 16,
        isRecomputing,
      });

    test.each(["full", "lora"] as const)("%s: logprobs at two temperatures", (kind) => {
      const { policy } = open(kind);
      const measured = kind === "full" ? full : lora;
      for (const [temperature, expected] of [
        [1, measured.logprobs],
        [0.7, measured["at 0.7"]],
      ] as const) {
        const scored = run(
          scoreSequences(
            kernels,
            policy,
            sequences.map((ids) => Int32Array.from(ids)),
            temperature,
          ),
        );
        for (const [index, row] of expected.entries()) expect(worst(scored[index]!.slice(1), row)).toBeLessThan(2e-4);
      }
    });

    test.each(["full", "lora"] as const)("%s: the gradient of every parameter", (kind) => {
      const trainer = open(kind);
      run(trainer.forwardBackward(samplesOf(sequences), crossEntropy));
      // Without memory the first moment is the gradient.
      trainer.update({ learningRate: 0, betas: [0, 0], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 });
      const { tensors } = trainer.state();
      for (const [parameter, expected] of Object.entries((kind === "full" ? full : lora).gradients)) {
        const [size, wave] = summaryOf(tensors.get(`first/${parameter}`)!);
        const errors = [size / expected[0] - 1, (wave - expected[1]) / expected[0]];
        expect([parameter, ...errors]).toEqual([parameter, expect.closeTo(0, 3), expect.closeTo(0, 3)]);
      }
    });

    test.each(["full", "lora"] as const)("%s: ten steps of AdamW with clipping", (kind) => {
      const measured = kind === "full" ? full : lora;
      const trainer = open(kind, kind === "full");
      const samples = samplesOf(sequences);
      const { lr, betas, eps, weight_decay, clip } = optimizer;
      for (const [loss, norm] of measured.steps) {
        expect(run(trainer.forwardBackward(samples, crossEntropy)).loss).toBeCloseTo(loss, 3);
        const step = { learningRate: lr, betas, epsilon: eps, weightDecay: weight_decay, gradientClip: clip };
        const { gradientNorm } = trainer.update(step);
        expect(Math.abs(gradientNorm / norm - 1)).toBeLessThan(2e-3);
      }
      const { tensors } = trainer.state();
      for (const [parameter, expected] of Object.entries(measured.parameters)) {
        const values = tensors.get(`weight/${parameter}`)!;
        const [size, wave] = summaryOf(values);
        expect([parameter, size / expected[0], (wave - expected[1]) / expected[0]]).toEqual([
          parameter,
          expect.closeTo(1, 2),
          expect.closeTo(0, 2),
        ]);
      }
    });
  });
});
