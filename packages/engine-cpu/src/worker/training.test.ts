import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AdapterSpec, HoneError, type RolloutId, runsOf, type Sample, type SampleId } from "@hone/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadKernels } from "../kernel/load.ts";
import { smallConfig, smallDecoder } from "../model/testing/small-decoders.ts";
import { checkpointPolicy } from "./checkpoint-policy.ts";
import { Policies } from "./policies.ts";
import { Training } from "./training.ts";
import type { Work } from "./work.ts";

const { kernels } = loadKernels({ prefer: "wasm", threads: 1 });
const base = smallDecoder(kernels, smallConfig("qwen3"));
const lora: AdapterSpec = { rank: 2, alpha: 4, targets: ["q_proj", "down_proj"], seed: 3 };
const step = { learningRate: 0.01, betas: [0.9, 0.99], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 } as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hone-training-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function setUp() {
  const settings = { model: folder, name: "small", checkpoints: folder };
  const policies = new Policies({
    base: { version: 0, decoder: base },
    memory: kernels.memory,
    snapshotBytes: 1,
    loadCheckpoint: (name) => checkpointPolicy({ folder, name, model: "small", kernels, base }),
  });
  return { policies, training: new Training({ kernels, base, policies, settings }) };
}

async function run<Result>(work: Work<Result>): Promise<Result> {
  for (let next = work.next(); ;) {
    if (next.done === true) return next.value;
    const outcome = await Promise.resolve(next.value).then(
      (value) => () => work.next(value),
      (error: unknown) => () => work.throw(error),
    );
    next = outcome();
  }
}

async function problemOf(work: Work<unknown>): Promise<HoneError> {
  const error: unknown = await run(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (HoneError.is(error)) return error;
  throw new Error(`not refused with an error of ours: ${String(error)}`);
}

const sample: Sample = {
  id: "s" as SampleId,
  rollout: "r" as RolloutId,
  agent: "agent",
  env: "e",
  branch: 0,
  tokens: Int32Array.of(3, 1, 4, 1, 5),
  weight: Float32Array.of(0, 0, 1, 1, 1),
  advantage: Float32Array.of(0, 0, 1, -1, 1),
  logprob: Float32Array.of(0, 0, -1, -1, -1),
  temperature: runsOf(1, 5),
  policyVersion: runsOf(0, 5),
};
const bad = { ...sample, tokens: Int32Array.of(3, 1, 4, 1, 99) };
const loss = { type: "cross_entropy" } as const;

describe.each([
  ["with an adapter", lora],
  ["with full training", "full" as const],
])("%s", (_, adapter) => {
  test("opening again gives the memory of the trainer before back", async () => {
    const { training } = setUp();
    const used: number[] = [];
    for (let round = 0; round < 6; round++) {
      const { trainer } = await run(training.open({ model: "small", adapter }));
      await run(training.forwardBackward({ trainer, samples: [sample], loss }));
      await run(training.update({ trainer, step }));
      await run(training.publish({ trainer }));
      used.push(kernels.memory.usedBytes);
    }
    expect(new Set(used.slice(1)).size).toBe(1);
  });

  test("a failed forwardBackward fails the next update, and only that", async () => {
    const { training } = setUp();
    const { trainer } = await run(training.open({ model: "small", adapter }));
    await problemOf(training.forwardBackward({ trainer, samples: [bad], loss }));
    const failed = await problemOf(training.update({ trainer, step }));
    expect([failed.code, failed.message]).toEqual(["failed-step", expect.stringContaining("token 99")]);
    expect(await run(training.update({ trainer, step }))).toMatchObject({ version: 1, gradientNorm: 0 });
  });

  test("publishing the same policy again changes nothing; opening publishes", async () => {
    const { training, policies } = setUp();
    const { trainer } = await run(training.open({ model: "small", adapter }));
    const first = policies.policyOf("latest");
    expect(policies.policyOf({ version: 0 })).toBe(first);
    expect(await run(training.publish({ trainer }))).toEqual({ version: 0 });
    expect(policies.policyOf("latest")).toBe(first);
  });

  test("a checkpoint is a policy with the weights of its trainer", async () => {
    const { training, policies } = setUp();
    const { trainer } = await run(training.open({ model: "small", adapter }));
    await run(training.forwardBackward({ trainer, samples: [sample], loss }));
    await run(training.update({ trainer, step }));
    await run(training.publish({ trainer }));
    const saved = await run(training.save({ trainer, name: "policy" }));
    const lease = await policies.lease(saved);
    const { adapter: parts, decoder, version } = policies.policyOf("latest");
    expect([lease.policy.version, lease.policy.adapter?.parts]).toEqual([version, parts?.parts]);
    expect(lease.policy.decoder.layers).toEqual(decoder.layers);
    lease.release();
  });

  test("a checkpoint that does not fit is refused by name; the trainer before goes on", async () => {
    const { training } = setUp();
    const { trainer } = await run(training.open({ model: "small", adapter }));
    await run(training.save({ trainer, name: "whole" }));
    const other = adapter === "full" ? lora : ("full" as const);
    const from = { checkpoint: "whole" };
    expect((await problemOf(training.open({ model: "small", adapter: other, from }))).message).toMatch(
      /another adapter/,
    );
    await writeFile(join(folder, "whole", (await readdir(join(folder, "whole"))).at(-1) ?? ""), "no tensors");
    const torn = await problemOf(training.open({ model: "small", adapter, from }));
    expect(torn.message).toContain(join(folder, "whole", "trainer"));
    expect((await problemOf(training.open({ model: "large", adapter }))).code).toBe("unknown-model");
    expect((await run(training.update({ trainer, step }))).version).toBe(1);
  });
});

test("a trainer that was replaced says so", async () => {
  const { training } = setUp();
  const { trainer } = await run(training.open({ model: "small", adapter: lora }));
  await run(training.open({ model: "small", adapter: lora }));
  expect(await problemOf(training.update({ trainer, step }))).toMatchObject({ code: "closed" });
});
