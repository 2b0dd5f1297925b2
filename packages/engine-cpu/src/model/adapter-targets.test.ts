import { expect, test } from "vitest";
import { referenceKernels } from "../kernel/reference.ts";
import { adapterTargets } from "./adapter-targets.ts";
import { linearLayers } from "./assemble.ts";
import { memoryPlan } from "./memory-plan.ts";
import { smallConfig, smallDecoder, smallFamilies } from "./testing/small-decoders.ts";

const names = linearLayers(smallDecoder(referenceKernels(), smallConfig("qwen3"))).map(({ name }) => name);

test("all-linear leaves the output layer out, as PEFT does, and lm_head asks for it", () => {
  expect(adapterTargets(names, ["all-linear"])).toEqual(names.filter((name) => name !== "lm_head"));
  expect(adapterTargets(names, ["all-linear", "lm_head"])).toEqual(names);
  expect(adapterTargets(names, ["lm_head", "layers.1.mlp.up_proj"])).toEqual(["model.layers.1.mlp.up_proj", "lm_head"]);
});

test("a layer that is not there is named, with those that are", () => {
  expect(() => adapterTargets(names, ["q_proj", "proj"])).toThrow(
    /no linear layer is called proj; .* q_proj, .* lm_head or all-linear/,
  );
  expect(() => adapterTargets(names, ["embed_tokens"])).toThrow("embed_tokens");
  expect(() => adapterTargets(names, [])).toThrow("the adapter has no targets");
});

test.each(smallFamilies)("the plan of %s counts the adapter's numbers, layer by layer", (family) => {
  const config = smallConfig(family);
  const layers = linearLayers(smallDecoder(referenceKernels(), config));
  const planned = (targets: readonly string[]): number => {
    const adapter = { rank: 3, targets };
    const options = { adapter, rowTokens: 1, isRecomputing: false, cacheBytes: 0, snapshots: 0 };
    return memoryPlan(config, options).find(({ name }) => name === "adapter")!.bytes;
  };
  for (const targets of [["all-linear"], ["lm_head"], ["q_proj", "down_proj"], ["all-linear", "lm_head"]]) {
    const chosen = new Set(adapterTargets(names, targets));
    const numbers = layers.reduce(
      (sum, { name, inputs, outputs }) => sum + (chosen.has(name) ? inputs + outputs : 0),
      0,
    );
    expect(planned(targets)).toBe(3 * numbers * Float32Array.BYTES_PER_ELEMENT);
  }
});
