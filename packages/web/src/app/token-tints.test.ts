import { expect, test } from "vitest";
import { factsOf, legendOf, tintOf } from "./token-tints.ts";

const columns = {
  ids: [1, 2, 3, 4],
  sampledFrom: 1,
  logprobs: [Math.log(0.005), Math.log(0.5), 0],
  versions: { values: [3, 4], lengths: [1, 2] },
  texts: null,
};

test("tokens are told apart by probability, credit and policy", () => {
  const credit = { advantages: [-1.5, 0.3, 2], weights: [0.1, 0.1, 0] };
  const tokens = factsOf({ ...columns, credit });
  expect(tokens.map((token) => tintOf("probability", token, [3, 4]))).toEqual(["p0", "p3", "p4"]);
  expect(tokens.map((token) => tintOf("credit", token, [3, 4]))).toEqual(["n2", "g1", "none"]);
  expect(tokens.map((token) => tintOf("policy", token, [3, 4]))).toEqual(["v0", "v1", "v1"]);
});

test("a token without credit has none, and every colour is in the legend", () => {
  const tokens = factsOf(columns);
  expect(tintOf("credit", tokens[0]!, [])).toBe("none");
  for (const tint of ["probability", "credit", "policy"] as const) {
    const known = legendOf(tint, [3, 4]).map(({ className }) => className);
    for (const token of tokens) expect(known).toContain(tintOf(tint, token, [3, 4]));
  }
});
