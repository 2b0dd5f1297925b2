import { expect, test } from "vitest";
import { createClient } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";

const endpoint: Endpoint = { name: "mini", model: "m", baseUrl: "http://127.0.0.1:9/v1", dialect: "chat" };

test("a key that is not set is named before anything is sent", () => {
  const keyed = { ...endpoint, key: "MY_KEY" };
  const failure = expect.objectContaining({
    code: "missing-key",
    message: expect.stringContaining("MY_KEY") as string,
  }) as Error;
  expect(() => createClient(keyed, { env: {} })).toThrow(failure);
  expect(() => createClient(keyed, { env: { MY_KEY: "  " } })).toThrow(failure);
  expect(() => createClient({ ...endpoint, headers: { "x-team": "${MY_KEY}" } }, { env: {} })).toThrow(failure);
});

test("a key in place of its variable is refused without showing it", () => {
  for (const own of [{ key: "sk-proj-SECRET" }, { headers: { "x-team": "${secretSECRET}" } }]) {
    expect(() => createClient({ ...endpoint, ...own }, { env: {} })).toThrow(
      expect.objectContaining({
        code: "key-in-file",
        message: expect.not.stringContaining("SECRET") as string,
      }) as Error,
    );
  }
});

test("a base URL that is none, or that holds a password, is refused without showing it", () => {
  for (const baseUrl of ["localhost:8000", "ftp://host/v1", "https://user:SECRET@host/v1", ""]) {
    expect(() => createClient({ ...endpoint, baseUrl })).toThrow(
      expect.objectContaining({
        code: "bad-endpoint",
        message: expect.not.stringContaining("SECRET") as string,
      }) as Error,
    );
  }
});

test("token ids are not asked of a dialect that has none", () => {
  for (const dialect of ["responses", "messages"] as const) {
    expect(() => createClient({ ...endpoint, dialect, tokens: true })).toThrow("does not carry");
  }
});
