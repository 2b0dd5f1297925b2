import * as fc from "fast-check";
import { expect, test } from "vitest";
import { errorIn, excerpt, retryAfter, statusError, transportError } from "./errors.ts";

test.each([
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
  "The prompt (5000 tokens) is longer than the model's context length of 4096 tokens.",
  "Input length (5000) exceeds the model's context length (4096).",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
  "Input is too long for requested model.",
  "Your input exceeds the context window of this model.",
  '{"error":{"code":"context_length_exceeded"}}',
  '{"error":{"code":"prompt_too_long"}}',
])("an over-long prompt: %s", (said) => {
  expect(statusError(400, said).code).toBe("context-length");
  expect(statusError(500, said).code).toBe("server");
  expect(errorIn({ error: { message: said, type: "invalid_request_error" } })?.code).toBe("context-length");
});

test.each([
  [302, "bad-request", false],
  [400, "bad-request", false],
  [401, "unauthorized", false],
  [402, "unauthorized", false],
  [403, "unauthorized", false],
  [404, "bad-request", false],
  [408, "timeout", true],
  [409, "server", true],
  [413, "bad-request", false],
  [422, "bad-request", false],
  [429, "rate-limit", true],
  [500, "server", true],
  [503, "server", true],
  [529, "server", true],
] as const)("status %i is %s, retryable %s", (status, code, isRetryable) => {
  expect(statusError(status, "sorry")).toMatchObject({ status, code, isRetryable, message: `HTTP ${status}: sorry` });
});

test("an account without money is not a busy server, and a filter is not a bad request", () => {
  expect(statusError(429, '{"error":{"code":"insufficient_quota","message":"pay"}}').code).toBe("unauthorized");
  expect(statusError(400, '{"error":{"code":"content_filter","message":"no"}}').code).toBe("content-filter");
});

test("what the server said is found wherever servers put it", () => {
  const said = (body: object): string => statusError(400, JSON.stringify(body)).message;
  expect(said({ error: { message: "a" } })).toBe("HTTP 400: a");
  expect(said({ error: "b" })).toBe("HTTP 400: b");
  expect(said({ message: "c" })).toBe("HTTP 400: c");
  expect(said({ detail: "d" })).toBe("HTTP 400: d");
  expect(said({ other: 1 })).toBe('HTTP 400: {"other":1}');
  expect(statusError(500, "").message).toBe("HTTP 500: (empty)");
});

test("an error in a body with status 200 has the code of its type or of the status it names", () => {
  expect(errorIn({ error: { message: "a", code: 429 } })?.code).toBe("rate-limit");
  expect(errorIn({ error: { message: "a", type: "overloaded_error" } })?.code).toBe("server");
  expect(errorIn({ error: { message: "a", type: "authentication_error" } })?.code).toBe("unauthorized");
  expect(errorIn({ error: "a" })?.code).toBe("server");
  expect(errorIn({ error: null, choices: [] })).toBeUndefined();
});

test("a quotation is one line of at most 200 characters", () => {
  expect(excerpt("a\n\t b\u0000c")).toBe("a b c");
  fc.assert(fc.property(fc.string({ maxLength: 3000 }), (text) => /^[^\n]{1,201}$/u.test(excerpt(text))));
});

test("retry-after in every form, and nonsense", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(retryAfter({ "retry-after": "1.5" }, now)).toBe(1500);
  expect(retryAfter({ "retry-after-ms": "250", "retry-after": "9" }, now)).toBe(250);
  expect(retryAfter({ "retry-after": new Date(now + 5000).toUTCString() }, now)).toBe(5000);
  expect(retryAfter({ "retry-after": new Date(now - 5000).toUTCString() }, now)).toBe(0);
  for (const nonsense of ["soon", "-1", "1e9999", "NaN", "", ["1", "2"], undefined]) {
    expect(retryAfter({ "retry-after": nonsense }, now)).toBeUndefined();
  }
});

test("transport errors keep the system's code and nothing else of the original", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED secret"), { code: "ECONNREFUSED", data: "secret" });
  const error = transportError(refused, "example.org");
  expect(error).toMatchObject({ code: "connection", message: "no connection to example.org (ECONNREFUSED)" });
  expect((error.cause as Error).message).toBe("ECONNREFUSED");
  expect(transportError(Object.assign(new Error("x"), { code: "HPE_INVALID_CONSTANT" }), "h").code).toBe(
    "invalid-response",
  );
  expect(transportError(Object.assign(new Error("x"), { code: "UND_ERR_INVALID_ARG" }), "h").code).toBe("bad-request");
});
