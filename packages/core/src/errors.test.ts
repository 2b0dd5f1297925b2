import { describe, expect, test } from "vitest";
import { boundary, BoundaryError, HoneError, ModelError, type ModelErrorCode, toFailure } from "./errors.ts";

const caught = (work: () => Promise<unknown>): Promise<unknown> => work().catch((error: unknown) => error);

describe("HoneError", () => {
  test("it says what, where and what next", () => {
    const cause = new Error("inner");
    const at = { file: "run.toml", line: 6, column: 14 };
    const error = new HoneError("what", { code: "config", hint: "next", at, cause });
    expect(error).toMatchObject({ message: "what", code: "config", hint: "next", at, cause, isRetryable: false });
  });

  test("it is recognised across copies of the package, and nothing else is", () => {
    expect(HoneError.is(new HoneError("x", { code: "x" }))).toBe(true);
    expect(HoneError.is({ [Symbol.for("hone.error")]: true })).toBe(true);
    for (const other of [new Error("x"), null, undefined, "x", {}]) expect(HoneError.is(other)).toBe(false);
  });
});

test("a model error may be tried again when another try could help", () => {
  const retryable: Record<ModelErrorCode, boolean> = {
    "rate-limit": true,
    server: true,
    timeout: true,
    connection: true,
    "invalid-response": true,
    "context-length": false,
    unauthorized: false,
    "bad-request": false,
    "content-filter": false,
  };
  for (const [code, isRetryable] of Object.entries(retryable)) {
    const error = new ModelError("no", { code: code as ModelErrorCode, status: 500, retryAfterMs: 20 });
    expect(error).toMatchObject({ name: "ModelError", code, isRetryable, status: 500, retryAfterMs: 20 });
    expect(HoneError.is(error)).toBe(true);
  }
});

describe("boundary", () => {
  test("what works passes through", async () => {
    expect(await boundary("tool", () => 5)).toBe(5);
    expect(await boundary("tool", async () => 6)).toBe(6);
  });

  test("the innermost boundary is the one an error is attributed to", async () => {
    const cause = new TypeError("broken");
    const error = await caught(() =>
      boundary("environment", () =>
        boundary("tool", () => {
          throw cause;
        }),
      ),
    );
    expect(error).toMatchObject({ boundary: "tool", code: "TypeError", message: "broken", cause });
  });

  test("a known error keeps its code and whether it may be tried again", async () => {
    const inner = new ModelError("slow down", { code: "rate-limit" });
    const error = await caught(() => boundary("model", () => Promise.reject(inner)));
    expect(error).toMatchObject({ boundary: "model", code: "rate-limit", isRetryable: true, cause: inner });
  });

  test("of errors nobody knows, only a sandbox's are tried again", async () => {
    for (const name of ["model", "tool", "sandbox", "reward", "environment"] as const) {
      const error = await caught(() => boundary(name, () => Promise.reject(new Error("x"))));
      expect(error).toMatchObject({ boundary: name, isRetryable: name === "sandbox" });
    }
  });
});

test("a failure is the data of an error", () => {
  const crossed = new BoundaryError("tool", new RangeError("too far"));
  const data = { boundary: "tool", code: "RangeError", message: "too far", isRetryable: false };
  expect(toFailure(crossed, "environment")).toEqual(data);
  expect(toFailure(new RangeError("too far"), "tool")).toEqual(data);
  expect(toFailure("just text", "reward")).toEqual({
    boundary: "reward",
    code: "error",
    message: "just text",
    isRetryable: false,
  });
});
