import { inspect } from "node:util";
import type { Model, ModelRequest } from "@hone/core";
import { expect, test, vi } from "vitest";
import { createClient } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Fault } from "./testing/faults.ts";
import { serveScripted } from "./testing/serve.ts";

const request: ModelRequest = { messages: [{ role: "user", content: "hello" }] };
const { signal } = new AbortController();

function at(baseUrl: string, more: Partial<Endpoint> = {}): Endpoint {
  return { name: "test", model: "scripted", baseUrl, dialect: "chat", ...more };
}

test("two hundred requests at once share as many connections as are allowed", async () => {
  await using server = await serveScripted(() => ({ content: "hi", delayMs: 1 }));
  await using client = createClient(at(server.url, { maxConnections: 7 }));
  const warned = vi.spyOn(process, "emitWarning");
  await Promise.all(Array.from({ length: 200 }, () => client.complete(request, { signal })));
  expect(warned).not.toHaveBeenCalled();
  expect(server.requests).toHaveLength(200);
  expect(server.connections().opened).toBeLessThanOrEqual(7);
});

test("streamed answers leave their connection usable", async () => {
  await using server = await serveScripted(() => "hi");
  await using client = createClient(at(server.url, { maxConnections: 1, stream: true }));
  for (let index = 0; index < 20; index++) await client.complete(request, { signal });
  expect(server.connections().opened).toBe(1);
});

test.each<Fault["type"]>(["hang", "endless", "drip"])(
  "cancelling during %s closes the socket at the server",
  async (type) => {
    await using server = await serveScripted(() => "hi", { faults: () => ({ type, everyMs: 10 }) as Fault });
    await using client = createClient(at(server.url));
    const cancel = new AbortController();
    const reason = new Error("enough");
    const answer = client.complete(request, { signal: cancel.signal });
    await expect.poll(() => server.requests).toHaveLength(1);
    cancel.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await expect.poll(() => server.requests[0]?.outcome).toBe("abandoned");
    expect(server.requests).toHaveLength(1);
  },
);

test("cancelling ends a call that is still waiting for a connection, and the next one gets it", async () => {
  await using server = await serveScripted(() => "hi", { faults: [{ type: "hang" }] });
  await using client = createClient(at(server.url, { maxConnections: 1 }));
  const [first, second] = [new AbortController(), new AbortController()];
  const hanging = client.complete(request, { signal: first.signal });
  const waiting = client.complete(request, { signal: second.signal });
  const last = client.complete(request, { signal });
  await expect.poll(() => server.requests).toHaveLength(1);
  second.abort(new Error("second"));
  await expect(waiting).rejects.toThrow("second");
  first.abort(new Error("first"));
  await expect(hanging).rejects.toThrow("first");
  expect((await last).message.content).toBe("hi");
  expect(server.requests).toHaveLength(2);
});

test("cancelling between attempts ends the wait, and a signal that has fired sends nothing", async () => {
  await using server = await serveScripted(() => "hi", { faults: () => ({ type: "status", status: 500 }) });
  await using client = createClient(at(server.url), { random: () => 1, retry: { baseMs: 1e6, capMs: 1e6 } });
  const cancel = new AbortController();
  const answer = client.complete(request, { signal: cancel.signal });
  await expect.poll(() => server.requests[0]?.outcome).toBe("answered");
  setTimeout(() => cancel.abort(new Error("enough")), 20);
  await expect(answer).rejects.toThrow("enough");
  await expect(client.complete(request, { signal: cancel.signal })).rejects.toThrow("enough");
  expect(server.requests).toHaveLength(1);
});

test("the deadline counts from the moment a call has a connection", async () => {
  await using server = await serveScripted(() => ({ content: "hi", delayMs: 100 }));
  await using client = createClient(at(server.url, { maxConnections: 1, timeoutMs: 900, maxAttempts: 1 }));
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.complete(request, { signal })));
  expect(answers).toHaveLength(10);
});

test("closing a client ends what it has in flight, once", async () => {
  await using server = await serveScripted(() => "hi", { faults: () => ({ type: "hang" }) });
  const client = createClient(at(server.url));
  const answer = client.complete(request, { signal });
  await expect.poll(() => server.requests).toHaveLength(1);
  const [outcome] = await Promise.allSettled([answer, client[Symbol.asyncDispose]()]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { code: "closed" } });
  await expect(client.complete(request, { signal })).rejects.toMatchObject({ code: "closed" });
  expect(server.requests).toHaveLength(1);
});

test("no listener stays on a signal that outlives its calls", async () => {
  await using server = await serveScripted(() => "hi", { faults: [{ type: "status", status: 500 }] });
  await using client = createClient(at(server.url), { sleep: () => Promise.resolve() });
  const controller = new AbortController();
  const added = vi.spyOn(controller.signal, "addEventListener");
  const removed = vi.spyOn(controller.signal, "removeEventListener");
  await client.complete(request, { signal: controller.signal });
  expect(added).toHaveBeenCalledTimes(2);
  expect(removed).toHaveBeenCalledTimes(2);
});

test("a key echoed by a server shows in no error, no endpoint and no client", async () => {
  const key = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz";
  const body = JSON.stringify({ error: { message: `bad key ${key}, ${key.slice(0, 20)} ${"x".repeat(150)}${key}` } });
  const faults: readonly Fault[] = [
    { type: "status", status: 401, body, headers: { "retry-after": key, "x-key": key, location: key } },
    { type: "status", status: 401, body: `${"y".repeat(180)}${key}` },
    { type: "status", status: 302, headers: { location: `https://example.org/?key=${key}` }, body: key },
    { type: "status", status: 200, body: `not json ${key}` },
    { type: "status", status: 200, body: JSON.stringify({ error: { message: `${key} is known` } }) },
    {
      type: "status",
      status: 200,
      body: `data: {"error":"${key}"}\n\n`,
      headers: { "content-type": "text/event-stream" },
    },
    { type: "status", status: 200, body: "{}", headers: { "content-encoding": key } },
  ];
  await using server = await serveScripted(() => "hi", { faults });
  const endpoint = at(server.url, { key: "TEST_KEY", headers: { "x-other": "${OTHER}" }, maxAttempts: 1 });
  const secrets = { TEST_KEY: `${key}\n`, OTHER: "another-secret-value" };
  await using client: Model & AsyncDisposable = createClient(endpoint, { env: secrets });
  const shown = [
    inspect(endpoint, { depth: 9, showHidden: true }),
    JSON.stringify(endpoint),
    inspect(client, { depth: 9 }),
  ];
  for (const _fault of faults) {
    const error: unknown = await client.complete(request, { signal }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "ModelError" });
    const { cause, hint, stack } = error as Error & { hint?: string };
    shown.push(
      inspect(error, { depth: 9, showHidden: true }),
      String(stack),
      String(hint),
      inspect(cause, { depth: 9 }),
    );
  }
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${key}`,
    "x-other": "another-secret-value",
  });
  for (const text of shown) {
    expect(text).not.toContain(key);
    expect(text).not.toContain("another-secret-value");
    expect(text).not.toMatch(/sk-test-\w{0,40}…/);
  }
});
