import type { EngineInfo } from "@hone/core";
import { createToyEngine } from "@hone/core/testing";
import { AlgorithmConfig, createAlgorithm } from "@hone/train";
import { expect, test } from "vitest";
import { type Asked, checkEngine } from "./check-engine.ts";
import { engineNamed } from "./open-engine.ts";

const { info } = createToyEngine({ contextTokens: 100 });
const grpo = createAlgorithm(AlgorithmConfig.parse({ type: "grpo" }) as never);
const asked: Asked = {
  adapter: { rank: 4, alpha: 8, targets: ["q_proj"], seed: 0 },
  optimizer: { learningRate: 1, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 },
  lead: 0,
  seqLen: 100,
  treatments: new Map([["a", { algorithm: grpo, normaliser: { type: "token" } }]]),
  environments: [{ name: "a", sampling: { temperature: 1, maxTokens: 8 } }],
};
const problems = (engine: Partial<EngineInfo>, change: Partial<Asked> = {}): string => {
  try {
    checkEngine({ ...info, ...engine }, { ...asked, ...change });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("an engine that can do it all is not complained about", () => {
  expect(problems({})).toBe("");
});

test.each<[Partial<EngineInfo>, Partial<Asked>, string]>([
  [{ losses: ["none", "cross_entropy"] }, {}, "the algorithm of a needs the loss ppo, it has none, cross_entropy"],
  [{ tuning: ["full"] }, {}, "it does not train a LoRA adapter"],
  [{ tuning: ["lora"] }, { adapter: "full" }, "it does not train all weights"],
  [
    { optimizer: ["learningRate", "betas", "epsilon"] },
    { optimizer: { ...asked.optimizer, weightDecay: 0.1 } },
    "its optimiser does not take weight_decay",
  ],
  [{ contextTokens: 64 }, {}, "seq_len 100 is longer than the model's context, 64"],
  [
    { temperature: "one" },
    { environments: [...asked.environments, { name: "b", sampling: { temperature: 0.7 } }] },
    "it takes one temperature for a batch, not 1 and 0.7",
  ],
  [{ samplesDuringUpdate: false }, { lead: 1 }, "lead = 1 needs sampling to go on during updates"],
  [{ pinnedPolicies: false }, {}, "lead = 0 samples from the policy of one step"],
])("%j: a setting that it cannot honour is an error at start", (engine, change, said) => {
  expect(problems(engine, change)).toContain(said);
});

test("all problems are told at once", () => {
  expect(problems({ tuning: ["full"], contextTokens: 64 })).toMatch(/LoRA adapter; seq_len 100/);
});

test("engines that come later are told apart from those that do not exist", () => {
  expect(() => engineNamed("verl")).toThrow("The engine `verl` is not part of this version.");
  expect(() => engineNamed("cpuu")).toThrow("There is no engine `cpuu`. Did you mean `cpu`?");
});
