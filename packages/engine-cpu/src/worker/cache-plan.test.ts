import { expect, test } from "vitest";
import { readDecoderConfig } from "../model/config.ts";
import { pageBytes } from "../model/step-model.ts";
import { planCache } from "./cache-plan.ts";

const config = readDecoderConfig(
  {
    architectures: ["Qwen3ForCausalLM"],
    vocab_size: 64,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    intermediate_size: 64,
    max_position_embeddings: 160,
  },
  "config.json",
);
const page = pageBytes(config, 16);

test("what can never be in use is not reserved", () => {
  expect(planCache(config, {})).toEqual({ pages: 64 * 10, pageTokens: 16, capacity: 64, contextTokens: 160 });
});

test("a given size is kept to", () => {
  expect(planCache(config, { cacheBytes: 12 * page + 5 })).toMatchObject({ pages: 12, contextTokens: 160 });
});

test("a context that nobody asked for is lowered to what fits, and that is said", () => {
  const plan = planCache(config, { cacheBytes: 4 * page });
  expect(plan).toMatchObject({ pages: 4, contextTokens: 64 });
  expect(plan.notice).toMatch(/64 tokens .* instead of 160/);
});

test("a context that was asked for makes room for itself, or is refused with what it needs", () => {
  const long = { ...config, contextTokens: 2 ** 24 };
  expect(planCache(long, { contextTokens: 2 ** 24 })).toMatchObject({ pages: 2 ** 20, contextTokens: 2 ** 24 });
  expect(() => planCache(config, { contextTokens: 160, cacheBytes: 4 * page })).toThrow(
    /64 tokens, and contextTokens is 160/,
  );
  expect(() => planCache(config, { cacheBytes: page - 1 })).toThrow(/0 tokens/);
});

test("sizes that are no sizes are refused", () => {
  for (const value of [0, -1, 1.5, Number.NaN]) {
    expect(() => planCache(config, { cacheBytes: value })).toThrow(/cacheBytes is/);
    expect(() => planCache(config, { contextTokens: value })).toThrow(/contextTokens is/);
  }
});
