import { expect, test } from "vitest";
import { exitCodeOf, serviceError } from "./service.ts";

const named = (name: string, message = "no"): Error => Object.assign(new Error(message), { name });

test("the service's errors keep or lose the sandbox as they should", () => {
  for (const [name, code] of [
    ["FileNotFoundError", "file-missing"],
    ["InvalidArgumentError", "file-kind"],
    ["NotEnoughSpaceError", "file-denied"],
    ["AuthenticationError", "sandbox-unavailable"],
    ["RateLimitError", "sandbox-open"],
    ["SandboxNotFoundError", "sandbox-dead"],
    ["TimeoutError", "sandbox-dead"],
    ["Error", "sandbox-dead"],
  ] as const) {
    expect(serviceError(named(name), "key", "a.txt")).toMatchObject({ code, message: "a.txt: no" });
  }
});

test("a key in a message is taken out", () => {
  expect(serviceError(named("Error", "with secret-key!"), "secret-key", "x").message).toBe("x: with (key)!");
});

test("a program that a signal ended has 128 and its number", () => {
  expect(exitCodeOf(3, undefined)).toBe(3);
  expect(
    ["killed", "terminated", "interrupt", "user defined signal 1"].map((name) => exitCodeOf(-1, `signal: ${name}`)),
  ).toEqual([137, 143, 130, 137]);
});
