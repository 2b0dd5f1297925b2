import { expect, test } from "vitest";
import { referenceKernels } from "../kernel/reference.ts";
import { parametersOf } from "./assemble.ts";
import { memoryPlan } from "./memory-plan.ts";
import { packed, packedLoss } from "./testing/packed-loss.ts";
import { smallConfig, smallDecoder } from "./testing/small-decoders.ts";

test.each([false, true])(
  "the plan of activations is close to what a row takes (computing again: %s)",
  (isRecomputing) => {
    const kernels = referenceKernels();
    const decoder = smallDecoder(kernels, smallConfig("qwen3"));
    const gradients = new Map(
      parametersOf(decoder).map(({ values }) => [values, kernels.memory.floats(values.length)]),
    );
    const before = kernels.memory.usedBytes;
    packedLoss(kernels, { version: 0, decoder }, { gradients, isRecomputing });
    const taken = (kernels.memory.usedBytes - before) / 2; // floats of eight bytes here
    const rowTokens = packed.tokens.length;
    const options = { adapter: "full", rowTokens, isRecomputing, cacheBytes: 0, snapshots: 1 } as const;
    const planned = memoryPlan(decoder.config, options).find(({ name }) => name.startsWith("activations"))!.bytes;
    // Sizes are rounded up to classes of at least 64 floats, which weighs on rows as small as these.
    expect(taken / planned).toBeGreaterThan(0.8);
    expect(taken / planned).toBeLessThan(1.6);
  },
);

test("full training needs gradient, moments and a policy beside it, an adapter only its own", () => {
  const bytesOf = (adapter: "full" | { readonly rank: number }): number =>
    memoryPlan(smallConfig("llama"), { adapter, rowTokens: 64, isRecomputing: false, cacheBytes: 0, snapshots: 1 })
      .filter(({ name }) => !name.startsWith("activations"))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytesOf({ rank: 1 })).toBeLessThan(bytesOf("full") / 2);
});
