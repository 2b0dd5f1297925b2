// Servers that misbehave: every fault ends as a ModelError with the right code, after the right number of attempts, with bounded memory.
import { createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ModelRequest } from "@hone/core";
import { describe, expect, test } from "vitest";
import { openReply } from "./body.ts";
import { type ClientOptions, createClient } from "./client.ts";
import { chat } from "./dialect/chat.ts";
import type { DialectName, Endpoint } from "./endpoint.ts";
import type { Fault, Faults } from "./testing/faults.ts";
import { serveScripted } from "./testing/serve.ts";

const request: ModelRequest = { messages: [{ role: "user", content: "hello" }] };
const { signal } = new AbortController();

/** Retries without waiting, and what they would have waited. */
function patient(options: ClientOptions = {}): { readonly waits: number[]; readonly options: ClientOptions } {
  const waits: number[] = [];
  const sleep = (delayMs: number): Promise<void> => {
    waits.push(delayMs);
    return Promise.resolve();
  };
  return { waits, options: { sleep, random: () => 0.5, now: () => 0, ...options } };
}

function at(baseUrl: string, more: Partial<Endpoint> = {}): Endpoint {
  return { name: "test", model: "scripted", baseUrl, dialect: "chat", maxAttempts: 3, ...more };
}

async function failing(faults: Faults, more: Partial<Endpoint> = {}, options: ClientOptions = {}) {
  await using server = await serveScripted(() => "fine", { faults });
  const { waits, options: clientOptions } = patient(options);
  await using client = createClient(at(server.url, more), clientOptions);
  const outcome = await client.complete(request, { signal }).then(
    ({ message }) => ({ content: message.content }),
    (error: unknown) => ({ error }),
  );
  return { ...outcome, waits, requests: server.requests.length };
}

describe.each([false, true])("stream %s", (stream) => {
  test.each<{ fault: Fault; code: string; says: string }>([
    { fault: { type: "garbage" }, code: "invalid-response", says: "<h1>502 Bad Gateway</h1>" },
    { fault: { type: "cut" }, code: "connection", says: "no connection" },
    { fault: { type: "status", status: 500 }, code: "server", says: "HTTP 500" },
    { fault: { type: "status", status: 503, body: "<html>busy</html>" }, code: "server", says: "<html>busy</html>" },
    { fault: { type: "status", status: 429 }, code: "rate-limit", says: "HTTP 429" },
    { fault: { type: "status", status: 408 }, code: "timeout", says: "HTTP 408" },
  ])("$fault is tried again until the attempts are used up", async ({ fault, code, says }) => {
    const forever = await failing(() => fault, { stream });
    expect(forever).toMatchObject({ error: { name: "ModelError", code, isRetryable: true }, requests: 3 });
    expect(forever).toMatchObject({ error: { message: expect.stringContaining(says) as string } });
    expect(forever.waits).toEqual([250, 500]);
    expect(await failing([fault, fault], { stream })).toMatchObject({ content: "fine", requests: 3 });
  });

  test.each([400, 401, 403, 404, 422])("status %i is final", async (status) => {
    const code = status === 401 || status === 403 ? "unauthorized" : "bad-request";
    const result = await failing([{ type: "status", status }], { stream });
    expect(result).toMatchObject({ error: { name: "ModelError", code, status, isRetryable: false }, requests: 1 });
  });

  test.each<Fault>([{ type: "hang" }, { type: "drip", everyMs: 5 }])("%o runs into the deadline", async (fault) => {
    const result = await failing([fault], { stream, timeoutMs: 400 });
    expect(result).toMatchObject({ content: "fine", requests: 2 });
    expect(await failing(() => fault, { stream, timeoutMs: 50, maxAttempts: 1 })).toMatchObject({
      error: { code: "timeout" },
    });
  });

  test("an endless answer is refused at the cap", async () => {
    const result = await failing(
      () => ({ type: "endless" }),
      { stream, maxAttempts: 1 },
      { maxResponseBytes: 1_000_000 },
    );
    expect(result).toMatchObject({ error: { code: "invalid-response" } });
    expect(result).toMatchObject({ error: { message: expect.stringContaining("more than 1000000 bytes") as string } });
  });
});

test("a slow answer within the deadline is an answer", async () => {
  expect(await failing([{ type: "drip", everyMs: 1 }], { timeoutMs: 30_000 })).toMatchObject({ content: "fine" });
});

test("retry-after is waited for, in seconds, in milliseconds and as a date", async () => {
  const busy = (headers: Record<string, string>): Fault => ({ type: "status", status: 429, headers });
  const date = new Date(7000).toUTCString();
  const result = await failing(
    [busy({ "retry-after": "2" }), busy({ "retry-after-ms": "30" }), busy({ "retry-after": date })],
    { maxAttempts: 4 },
    { random: () => 0 },
  );
  expect(result).toMatchObject({ content: "fine", waits: [2000, 30, 7000] });
});

test("a server that asks for more patience than there is ends the retries at once", async () => {
  const fault: Fault = { type: "status", status: 429, headers: { "retry-after": "86400" } };
  const result = await failing([fault], {}, { retry: { totalMs: 60_000 } });
  expect(result).toMatchObject({ error: { code: "rate-limit", retryAfterMs: 86_400_000 }, requests: 1, waits: [] });
});

test("an over-long prompt is told apart from a bad request", async () => {
  const body = JSON.stringify({ error: { message: "This model's maximum context length is 4096 tokens.", code: 400 } });
  const result = await failing([{ type: "status", status: 400, body }]);
  expect(result).toMatchObject({ error: { code: "context-length", isRetryable: false }, requests: 1 });
});

test("an empty reply is no reply", async () => {
  await using server = await serveScripted(() => ({ content: "" }));
  const { options } = patient();
  await using client = createClient(at(server.url), options);
  await expect(client.complete(request, { signal })).rejects.toMatchObject({ code: "invalid-response" });
  expect(server.requests).toHaveLength(3);
  // What a policy samples is a sample even when it is only the end of the turn.
  await using policy = createClient(at(server.url, { tokens: true }), options);
  expect((await policy.complete(request, { signal })).tokens?.ids).toHaveLength(1);
});

test("a server that gives no token ids to an endpoint that needs them is named", async () => {
  await using server = await rawServer((response) => {
    response.end(JSON.stringify({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }));
  });
  await using client = createClient(at(server.url, { tokens: true }));
  await expect(client.complete(request, { signal })).rejects.toMatchObject({ code: "bad-request", isRetryable: false });
});

describe("hostile servers", () => {
  const hostile: Record<string, (response: ServerResponse) => void> = {
    "huge headers": (response) => response.writeHead(200, { "x-huge": "x".repeat(100_000) }).end("{}"),
    "invalid UTF-8": (response) => response.end(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x80])),
    "truncated JSON": (response) => response.end('{"choices":[{"message":{"content":"hal'),
    "JSON of another kind": (response) => response.end("[[[[1]]]]"),
    "null everywhere": (response) => response.end('{"choices":[{"message":null,"finish_reason":null}],"usage":null}'),
    "a stream of garbage": (response) => response.writeHead(200, sse).end("data: {not json}\n\n"),
    "a stream without an end": (response) =>
      response.writeHead(200, sse).end('data: {"choices":[{"delta":{"content":"hal"}}]}\n\n'),
    "a stream without an event": (response) => response.writeHead(200, sse).end("what is this"),
    "an empty body": (response) => response.end(),
    "a compressed body": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("xx"),
  };
  const sse = { "content-type": "text/event-stream" };

  test.each(Object.keys(hostile))("%s is an invalid response", async (name) => {
    await using server = await rawServer((response) => hostile[name]?.(response));
    for (const dialect of ["chat", "responses", "messages", "completions"] as DialectName[]) {
      await using client = createClient(at(server.url, { dialect }), patient().options);
      const error: unknown = await client.complete(request, { signal }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: "ModelError", code: "invalid-response" });
      expect((error as Error).message.length).toBeLessThan(400);
    }
  });

  test("no HTTP at all, a closed port, an unknown host", async () => {
    await using tcp = await tcpServer((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH\r\n")));
    const { options } = patient();
    const codes: string[] = [];
    for (const url of [tcp.url, "http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1"]) {
      await using client = createClient(at(url, { maxAttempts: 2 }), options);
      const error: unknown = await client.complete(request, { signal }).catch((caught: unknown) => caught);
      codes.push((error as { code: string }).code);
    }
    expect(codes).toEqual(["invalid-response", "connection", "connection"]);
  });

  test("a closed port fails every call that waits for it", async () => {
    await using client = createClient(at("http://127.0.0.1:1/v1", { maxAttempts: 1, maxConnections: 2 }));
    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => client.complete(request, { signal })));
    for (const answer of answers) expect(answer).toMatchObject({ status: "rejected", reason: { code: "connection" } });
  });

  test("half a million one-byte pieces take no more room than their bytes", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const reader = openReply({ status: 200, headers: {} }, chat, () => 0);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 500_000; count++) reader.chunk(Buffer.from(" "));
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * 2 ** 20);
    expect(() => reader.end()).toThrow("not JSON");
  });

  test("what comes decides how it is read, not what was asked for", async () => {
    const whole = { choices: [{ message: { content: "hi" }, finish_reason: "stop" }] };
    const chunk = { choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] };
    await using plain = await rawServer((response) =>
      response.writeHead(200, { "content-type": "text/plain" }).end(JSON.stringify(whole)),
    );
    await using events = await rawServer((response) =>
      response.writeHead(200, sse).end(`data: ${JSON.stringify(chunk)}\r\n\r\n`),
    );
    for (const [url, stream] of [
      [plain.url, true],
      [events.url, false],
    ] as const) {
      await using client = createClient(at(url, { stream }));
      expect((await client.complete(request, { signal })).message.content).toBe("hi");
    }
  });

  test("a stream whose server never hangs up ends with the reply", async () => {
    await using server = await rawServer((response) => {
      response.writeHead(200, sse);
      response.write('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
    await using client = createClient(at(server.url, { stream: true }));
    expect((await client.complete(request, { signal })).message.content).toBe("hi");
  });
});

async function rawServer(answer: (response: ServerResponse) => void) {
  const server = createHttpServer({ maxHeaderSize: 1 << 20 }, (incoming, response) => {
    incoming.resume().once("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function tcpServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
