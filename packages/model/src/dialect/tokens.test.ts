import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tokensFrom } from "./tokens.ts";

test("ids and logprobs that fit together become columns", () => {
  const id = fc.nat({ max: 2 ** 31 - 1 });
  const logprob = fc.float({ max: 0, noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(id), fc.array(fc.tuple(id, logprob)), (prompt, sampled) => {
      const ids = sampled.map(([value]) => value);
      const logprobs = sampled.map(([, value]) => value);
      const tokens = tokensFrom(prompt, ids, logprobs);
      expect([...(tokens?.prompt ?? [])]).toEqual(prompt);
      expect([...(tokens?.ids ?? [])]).toEqual(ids);
      expect(tokens?.logprobs).toEqual(Float32Array.from(logprobs));
    }),
  );
});

test("a server that gives only some of it gives none", () => {
  expect(tokensFrom(undefined, [1], [-1])).toBeUndefined();
  expect(tokensFrom([1], null, [-1])).toBeUndefined();
  expect(tokensFrom([1], [1], undefined)).toBeUndefined();
});

test.each([[-1], [0.5], [2 ** 31], ["1"], [null], [Number.NaN]])("%s is no token id", (bad) => {
  expect(() => tokensFrom([], [bad], [-1])).toThrow("token id 0");
});

test("logprobs are at most 0 and as many as the ids", () => {
  expect(() => tokensFrom([], [1], [0.5])).toThrow("logprob 0");
  expect(() => tokensFrom([], [1], [null])).toThrow("logprob 0");
  expect(() => tokensFrom([], [1, 2], [-1])).toThrow("2 token ids and 1 logprobs");
  // Rounding in the server may leave a certain token a hair above 0.
  expect(tokensFrom([], [1], [1e-6])?.logprobs).toEqual(Float32Array.of(0));
});
