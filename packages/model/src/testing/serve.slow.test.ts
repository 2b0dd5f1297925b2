import { request as send } from "node:http";
import type { Completion, Model } from "@hone/core";
import { describe, expect, test } from "vitest";
import { createClient } from "../client.ts";
import type { DialectName } from "../endpoint.ts";
import { serveScripted } from "./serve.ts";

const { signal } = new AbortController();

/** A request as it is, without any client of ours in between. */
function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const outgoing = send(url, { method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

test("unknown routes, bodies that are no request, and bodies that are too large are refused", async () => {
  await using server = await serveScripted(["hi"], { dialects: ["chat", "messages"], maxBodyBytes: 1000 });
  const status = async (path: string, body: string) => (await post(`${server.url}${path}`, body)).status;
  expect(await status("/responses", "{}")).toBe(404);
  expect(await status("/nothing", "{}")).toBe(404);
  expect(await status("/chat/completions", "[]")).toBe(400);
  expect(await status("/chat/completions", "{")).toBe(400);
  expect(await status("/chat/completions", '{"messages":[]}')).toBe(400);
  expect(await status("/chat/completions", '{"messages":[{"role":"nobody"}]}')).toBe(400);
  expect(await status("/messages", '{"messages":[{"role":"user","content":"hi"}]}')).toBe(400);
  expect(await status("/chat/completions", JSON.stringify({ x: "y".repeat(2000) }))).toBe(413);
  expect(await status("/chat/completions", '{"messages":[{"role":"user","content":"hi"}]}')).toBe(200);
});

test("Anthropic's rules are kept: alternating roles, and thinking only with its signature", async () => {
  await using server = await serveScripted(["hi"]);
  const user = { role: "user", content: "hi" };
  const ask = async (messages: readonly object[]) =>
    post(`${server.url}/messages`, JSON.stringify({ model: "m", max_tokens: 9, messages }));
  expect((await ask([user, user])).body).toContain("alternate");
  const forged = { role: "assistant", content: [{ type: "thinking", thinking: "a", signature: "b" }] };
  expect((await ask([user, forged, user])).body).toContain("Invalid `signature`");
});

test("a key is checked in either header", async () => {
  await using server = await serveScripted(() => "hi", { apiKey: "right" });
  const body = '{"messages":[{"role":"user","content":"hi"}],"max_tokens":9}';
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await post(`${server.url}/chat/completions`, body, headers)).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: "Bearer wrong" })).toBe(401);
  expect(await status({ authorization: "Bearer right" })).toBe(200);
  expect(await status({ "x-api-key": "right" })).toBe(200);
});

test("any model can be served, and hears when its client is gone", async () => {
  let heard: unknown;
  const model: Model = {
    name: "own",
    complete: (_request, options) =>
      new Promise<Completion>((_resolve, reject) => {
        options.signal.addEventListener("abort", () => {
          heard = options.signal.reason;
          reject(heard);
        });
      }),
  };
  await using server = await serveScripted(model);
  await using client = createClient({ name: "x", model: "m", baseUrl: server.url, dialect: "chat" });
  const cancel = new AbortController();
  const answer = client.complete({ messages: [{ role: "user", content: "hi" }] }, { signal: cancel.signal });
  await expect.poll(() => server.requests).toHaveLength(1);
  cancel.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
  await expect.poll(() => heard).toBeInstanceOf(Error);
});

describe.each(["chat", "responses", "messages", "completions"] as DialectName[])("%s", (dialect) => {
  test("a script's failure arrives with its code", async () => {
    const codes = ["rate-limit", "server", "context-length", "unauthorized", "bad-request", "timeout"] as const;
    let next = 0;
    await using server = await serveScripted(() => ({
      fail: { message: "no", code: codes[next++] ?? "server", retryAfterMs: 5 },
    }));
    await using client = createClient({ name: "x", model: "m", baseUrl: server.url, dialect, maxAttempts: 1 });
    for (const code of codes) {
      const answer = client.complete({ messages: [{ role: "user", content: "hi" }] }, { signal });
      await expect(answer).rejects.toMatchObject({ code, ...(code === "rate-limit" ? { retryAfterMs: 5 } : {}) });
    }
  });

  test("cost is computed from the price", async () => {
    await using server = await serveScripted(() => "hi");
    const price = { input: 2_000_000, output: 3_000_000 };
    await using client = createClient({ name: "x", model: "m", baseUrl: server.url, dialect, price });
    const { usage } = await client.complete({ messages: [{ role: "user", content: "hi" }] }, { signal });
    expect(usage.costUsd).toBe(2 * usage.inputTokens + 3 * usage.outputTokens);
  });
});

test("the server's cost is taken before ours, and cached input has its own price", async () => {
  const usages = [
    { inputTokens: 100, outputTokens: 10, cachedTokens: 60 },
    { inputTokens: 100, outputTokens: 10, cachedTokens: 60, costUsd: 7 },
  ];
  let next = 0;
  const model: Model = {
    name: "own",
    complete: async () => ({
      message: { role: "assistant", content: "hi" },
      finish: "stop",
      usage: usages[next++] ?? { inputTokens: 0, outputTokens: 0 },
    }),
  };
  await using server = await serveScripted(model);
  const price = { input: 1_000_000, output: 2_000_000, cached: 500_000 };
  await using client = createClient({ name: "x", model: "m", baseUrl: server.url, dialect: "chat", price });
  const cost = async () =>
    (await client.complete({ messages: [{ role: "user", content: "hi" }] }, { signal })).usage.costUsd;
  expect(await cost()).toBeCloseTo(40 + 30 + 20, 9);
  expect(await cost()).toBe(7);
});

test("a base URL without a path gets /v1, and messages live under /v1 wherever they are", async () => {
  await using server = await serveScripted(() => "hi");
  const { origin } = new URL(server.url);
  for (const [dialect, baseUrl] of [
    ["chat", origin],
    ["chat", `${origin}/v1/`],
    ["messages", origin],
    ["messages", `${origin}/v1`],
  ] as const) {
    await using client = createClient({ name: "x", model: "m", baseUrl, dialect });
    await client.complete({ messages: [{ role: "user", content: "hi" }] }, { signal });
  }
  await using versioned = createClient({
    name: "x",
    model: "m",
    baseUrl: `${server.url}?api-version=1`,
    dialect: "chat",
  });
  const answer = versioned.complete({ messages: [{ role: "user", content: "hi" }] }, { signal });
  await expect(answer).rejects.toThrow("no route /v1/chat/completions?api-version=1");
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/v1/chat/completions",
    "/v1/chat/completions",
    "/v1/messages",
    "/v1/messages",
  ]);
});
