import { jsonSchemaOf, toCode, toFile } from "@hone/config";
import type { Algorithm, CreditGroup } from "@hone/core";
import { describe, expect, test } from "vitest";
import { applyCredit } from "../sample/credit.ts";
import { groupOf, sampleOf, withReference } from "../sample/testing/rollouts.ts";
import { AlgorithmConfig, type NamedAlgorithmConfig } from "./config.ts";
import { createAlgorithm } from "./create.ts";
import { normaliserOf } from "./normaliser-config.ts";

/** Another value for every key; `also` is what must be set for the key to be allowed, or to matter. */
interface Change {
  readonly value: unknown;
  readonly also?: object;
}
const kl: Readonly<Record<string, Change>> = {
  klWeight: { value: 0.1 },
  klEstimator: { value: "k3", also: { klWeight: 0.1 } },
};
const length: Readonly<Record<string, Change>> = { lengthPenalty: { value: { output: 0.5 } } };
const normaliser: Readonly<Record<string, Change>> = {
  normaliser: { value: "sequence" },
  normaliserTokens: { value: 7, also: { normaliser: "constant" } },
};
const loss: Readonly<Record<string, Change>> = {
  loss: { value: "dppo" },
  clipLow: { value: 0.5, also: { loss: "ppo" } },
  clipHigh: { value: 3, also: { loss: "cispo" } },
  beta: { value: 0.5, also: { loss: "dro" } },
  maskLow: { value: 0.5, also: { loss: "dppo" } },
  maskHigh: { value: 0.5, also: { loss: "dppo" } },
  driftWeight: { value: 0, also: { loss: "dppo" } },
};
const clip: Readonly<Record<string, Change>> = { clipLow: { value: 0.5 }, clipHigh: { value: 2 } };
const std: Readonly<Record<string, Change>> = { normaliseByStd: { value: false } };
const changes: Readonly<Record<NamedAlgorithmConfig["type"], Readonly<Record<string, Change>>>> = {
  grpo: { ...std, ...kl, ...length, ...loss, ...normaliser },
  dr_grpo: { ...kl, ...length, ...loss, ...normaliser },
  rloo: { ...kl, ...length, ...loss, ...normaliser },
  reinforce_pp: { ...kl, ...length, ...loss, ...normaliser },
  gspo: { ...std, ...kl, ...length, ...clip, ...normaliser, normaliser: { value: "token" } },
  cispo: { ...std, ...kl, ...length, ...clip, ...normaliser },
  dapo: {
    ...std,
    ...kl,
    ...clip,
    ...normaliser,
    overlongTokens: { value: 30 },
    overlongWindowTokens: { value: 35 },
    overlongPenalty: { value: 3 },
  },
  max_rl: { ...kl, ...length, ...loss, ...normaliser },
  opd: { maxCredit: { value: 0.1 }, ...loss, ...normaliser },
  sft: { minReward: { value: 0.5 }, ...normaliser },
};

/** Of different lengths, so that shaping shows; scored by a reference that disagrees. */
const group: CreditGroup = withReference(
  groupOf([1, 0, 0.25], [{ sampled: 4 }, { sampled: 36 }, { sampled: 20, before: 9 }]),
  -2,
);

/** Everything that a configuration decides. */
function decided(config: object): unknown {
  const parsed = AlgorithmConfig.parse(config) as NamedAlgorithmConfig;
  const context = { maxTokens: 40 };
  const algorithm: Algorithm = createAlgorithm(parsed, context);
  const { credit } = algorithm.credit(group, null);
  const credited = group.samples.flatMap((branches, index) => applyCredit(branches, credit[index] ?? 0, "test"));
  const finished = (algorithm.finish?.(credited) ?? credited).map(({ weight, advantage }) => [
    [...weight],
    [...advantage],
  ]);
  const { loss } = algorithm;
  const far = Float32Array.of(0, -2);
  const ratios = [far, far.map((value) => value + 2)].map((logprobs) =>
    typeof loss === "function" ? [1, -1].map((sign) => loss(logprobs, sampleOf([sign]))) : loss,
  );
  return JSON.parse(JSON.stringify([algorithm.needs, finished, ratios, normaliserOf(parsed, context)]));
}

describe("every parameter changes something", () => {
  for (const option of AlgorithmConfig.options) {
    const [type] = option.shape.type.values;
    if (type === undefined || type === "file") continue;
    const own = changes[type];
    for (const key of Object.keys(option.shape).filter((name) => name !== "type")) {
      test(`${type}.${key}`, () => {
        const change = own[key];
        expect(change, "a change for every key of the schema").toBeDefined();
        const before = decided({ type, ...change?.also });
        expect(decided({ type, ...change?.also, [key]: change?.value })).not.toEqual(before);
      });
    }
  }
});

describe("the table in a file", () => {
  test("`type` alone is enough, and `file` needs a path", () => {
    for (const option of AlgorithmConfig.options) {
      const [type] = option.shape.type.values;
      expect(AlgorithmConfig.safeParse({ type }).success).toBe(type !== "file");
    }
    expect(AlgorithmConfig.parse({ type: "file", path: "./mine.ts" })).toMatchObject({ normaliser: "token" });
  });

  test("a parameter of another loss is refused with the losses it belongs to", () => {
    const { error } = AlgorithmConfig.safeParse({ type: "grpo", loss: "dro", clipHigh: 1.3 });
    expect(error?.issues).toMatchObject([
      { path: ["clipHigh"], message: 'has no effect with loss "dro": it belongs to "ppo" and "cispo"' },
    ]);
    expect(AlgorithmConfig.safeParse({ type: "grpo", normaliserTokens: 5 }).error?.issues).toMatchObject([
      { path: ["normaliserTokens"] },
    ]);
  });

  test("clips are ratios: what other tools call 0.2 and 0.28 is refused, not taken for one", () => {
    expect(AlgorithmConfig.safeParse({ type: "dapo", clipHigh: 0.28 }).success).toBe(false);
    expect(AlgorithmConfig.safeParse({ type: "grpo", clipLow: 1.2 }).success).toBe(false);
  });

  test("keys are snake_case there, and every key has a description", () => {
    const inFile = { type: "dapo", overlong_window_tokens: 5, clip_high: 1.3 };
    const parsed = AlgorithmConfig.parse(toCode(AlgorithmConfig, inFile));
    expect(parsed).toMatchObject({ overlongWindowTokens: 5, clipHigh: 1.3 });
    expect(toFile(AlgorithmConfig, parsed)).toMatchObject(inFile);
    const undescribed = AlgorithmConfig.options.flatMap(({ shape }) =>
      Object.entries(shape).flatMap(([key, field]) => (key === "type" || field.description !== undefined ? [] : [key])),
    );
    expect(undescribed).toEqual([]);
    expect(JSON.stringify(jsonSchemaOf(AlgorithmConfig))).toContain("overlong_window_tokens");
  });

  test("a length that nothing gives is asked for", () => {
    const dapo = AlgorithmConfig.parse({ type: "dapo" }) as NamedAlgorithmConfig;
    expect(() => createAlgorithm(dapo)).toThrow("overlong_tokens is not set");
    expect(() => normaliserOf(AlgorithmConfig.parse({ type: "dr_grpo" }))).toThrow("normaliser_tokens is not set");
    expect(normaliserOf(AlgorithmConfig.parse({ type: "dr_grpo" }), { maxTokens: 40 })).toEqual({
      type: "constant",
      tokens: 40,
    });
    const wide = AlgorithmConfig.parse({ type: "dapo", overlongWindowTokens: 41 }) as NamedAlgorithmConfig;
    expect(() => createAlgorithm(wide, { maxTokens: 40 })).toThrow("overlong_window_tokens is 41");
  });
});
