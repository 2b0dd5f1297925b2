import { describe, expect, test } from "vitest";
import type { Endpoint } from "./endpoint.ts";
import { resolveModel } from "./resolve-model.ts";

const mini: Endpoint = {
  name: "mini",
  model: "gpt-5-mini",
  baseUrl: "https://api.openai.com/v1",
  dialect: "chat",
  key: "OPENAI_API_KEY",
  headers: { "x-token": "${TOKEN}" },
  price: { input: 1, output: 2 },
};

test("endpoints.toml comes first, then providers", () => {
  expect(resolveModel("mini", { endpoints: [mini] })).toEqual(mini);
  expect(resolveModel("openai/gpt-5", { endpoints: [mini] })).toEqual({
    name: "openai/gpt-5",
    model: "gpt-5",
    baseUrl: "https://api.openai.com/v1",
    dialect: "chat",
    key: "OPENAI_API_KEY",
    sendReasoning: false,
  });
  expect(resolveModel("anthropic/claude-sonnet-4-5")).toMatchObject({ dialect: "messages", key: "ANTHROPIC_API_KEY" });
  expect(resolveModel("openrouter/qwen/qwen3-8b")).toMatchObject({ model: "qwen/qwen3-8b" });
  const own = { ...mini, name: "openai/gpt-5" };
  expect(resolveModel("openai/gpt-5", { endpoints: [own] })).toEqual(own);
});

test("another server does not get the key of the first, unless it is named for it", () => {
  const moved = resolveModel("mini", { endpoints: [mini], baseUrl: "http://127.0.0.1:9/v1" });
  expect(moved).toEqual({
    name: "mini",
    model: "gpt-5-mini",
    baseUrl: "http://127.0.0.1:9/v1",
    dialect: "chat",
    price: { input: 1, output: 2 },
  });
  const beside = resolveModel("mini", { endpoints: [mini], baseUrl: "https://api.openai.com/v2" });
  expect(beside).toEqual({ ...mini, baseUrl: "https://api.openai.com/v2" });
  const named = { baseUrl: "http://127.0.0.1:9/v1", key: "LOCAL_KEY", dialect: "messages" } as const;
  expect(resolveModel("anything/at-all", named)).toEqual({
    name: "anything/at-all",
    model: "anything/at-all",
    ...named,
  });
  expect(() => resolveModel("mini", { baseUrl: "http://127.0.0.1:9", key: "sk-proj-SECRET" })).toThrow(
    expect.not.stringContaining("SECRET") as Error,
  );
});

describe("an unknown model", () => {
  const failure = (name: string, known: readonly string[] = []): { message: string; code: string; hint: string } => {
    try {
      resolveModel(name, { endpoints: [mini], known });
    } catch (error) {
      return error as { message: string; code: string; hint: string };
    }
    throw new Error("it was known");
  };
  test("is named with the nearest one and what to do next", () => {
    expect(failure("minii")).toMatchObject({
      code: "unknown-model",
      message: "there is no model `minii`. Did you mean `mini`?",
    });
    expect(failure("opnai/gpt-5").message).toContain("Did you mean `openai/gpt-5`?");
    expect(failure("scriptd", ["scripted"]).message).toContain("Did you mean `scripted`?");
    expect(failure("zzzz").message).toBe("there is no model `zzzz`.");
    expect(failure("zzzz").hint).toContain("--model openai/zzzz");
    expect(failure("openai/").code).toBe("unknown-model");
  });
});
