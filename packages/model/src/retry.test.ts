import { ModelError, type ModelErrorOptions } from "@hone/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type RetryPolicy, withRetries } from "./retry.ts";

const policy: RetryPolicy = { maxAttempts: 5, totalMs: 1e9, baseMs: 100, capMs: 1000 };
const { signal } = new AbortController();

/** A clock that only sleeping and failing move. */
function simulated(random: () => number = () => 1, attemptMs = 0) {
  let nowMs = 0;
  const waits: number[] = [];
  const tools = {
    random,
    now: () => nowMs,
    sleep: (delayMs: number): Promise<void> => {
      waits.push(delayMs);
      nowMs += delayMs;
      return Promise.resolve();
    },
  };
  const failing =
    (options: Partial<ModelErrorOptions> = {}) =>
    () => {
      nowMs += attemptMs;
      return Promise.reject(new ModelError("no", { code: "server", ...options }));
    };
  return { tools, waits, failing, now: () => nowMs };
}

test("the bound of a wait doubles up to the cap, and attempts are counted", async () => {
  const { tools, waits, failing } = simulated();
  const outcome = withRetries(failing(), { policy, tools, signal });
  await expect(outcome).rejects.toThrow("no (after 5 attempts)");
  expect(waits).toEqual([100, 200, 400, 800]);
  const longer = simulated();
  const many = { ...policy, maxAttempts: 7 };
  await expect(withRetries(longer.failing(), { policy: many, tools: longer.tools, signal })).rejects.toThrow(
    "7 attempts",
  );
  expect(longer.waits).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test("a wait is drawn from the whole range below its bound, on top of what the server asked for", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat(500),
      async (drawn, retryAfterMs) => {
        const { tools, waits, failing } = simulated(() => drawn);
        await withRetries(failing({ retryAfterMs }), { policy, tools, signal }).catch(() => undefined);
        expect(waits).toEqual([100, 200, 400, 800].map((bound) => retryAfterMs + drawn * bound));
      },
    ),
  );
});

test("no attempt starts later than the total time after the first failure", async () => {
  const { tools, waits, failing, now } = simulated(() => 1, 1000);
  const outcome = withRetries(failing(), { policy: { ...policy, maxAttempts: 99, totalMs: 5000 }, tools, signal });
  await expect(outcome).rejects.toMatchObject({ code: "server" });
  expect(waits).toEqual([100, 200, 400, 800]);
  // The first attempt is not counted: it may have waited for a connection.
  expect(now()).toBeLessThanOrEqual(1000 + 5000 + 1000);
});

test("success ends it, and what is not retryable leaves at once and unchanged", async () => {
  const { tools, waits } = simulated();
  let left = 2;
  const healing = () =>
    left-- > 0 ? Promise.reject(new ModelError("no", { code: "timeout" })) : Promise.resolve("yes");
  expect(await withRetries(healing, { policy, tools, signal })).toBe("yes");
  expect(waits).toHaveLength(2);
  for (const error of [new ModelError("no", { code: "bad-request" }), new TypeError("a bug")]) {
    await expect(withRetries(() => Promise.reject(error), { policy, tools, signal })).rejects.toBe(error);
  }
  expect(waits).toHaveLength(2);
});

test("a signal that fires during an attempt wins over its error", async () => {
  const cancel = new AbortController();
  const { tools, waits } = simulated();
  const attempt = () => {
    cancel.abort(new Error("enough"));
    return Promise.reject(new ModelError("no", { code: "server" }));
  };
  await expect(withRetries(attempt, { policy, tools, signal: cancel.signal })).rejects.toThrow("enough");
  expect(waits).toEqual([]);
});

test("the last error keeps its status, its patience and its hint", async () => {
  const { tools, failing } = simulated();
  const attempt = failing({ code: "rate-limit", status: 429, retryAfterMs: 10, hint: "wait" });
  await expect(withRetries(attempt, { policy, tools, signal })).rejects.toMatchObject({
    code: "rate-limit",
    status: 429,
    retryAfterMs: 10,
    hint: "wait",
  });
});
