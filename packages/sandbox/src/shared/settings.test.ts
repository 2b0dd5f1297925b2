import { expect, test } from "vitest";
import { basicVariables, callDefaults, checkCommand, execSettings, limitsOf } from "./settings.ts";

test("a spec wins over the provider's defaults, and these over the general ones", () => {
  expect(limitsOf({ memoryMb: 1 }, { memoryMb: 2, diskMb: 3 })).toEqual({ memoryMb: 1, diskMb: 3, processes: 256 });
});

test("options that make no sense are refused", () => {
  expect(execSettings({ timeoutMs: 5 }, callDefaults)).toEqual({ timeoutMs: 5, maxOutputBytes: 1 << 20 });
  expect(execSettings({ timeoutMs: Number.POSITIVE_INFINITY }, callDefaults).timeoutMs).toBe(2 ** 31 - 1);
  expect(() => execSettings({ timeoutMs: 0 }, callDefaults)).toThrow("timeoutMs");
  expect(() => execSettings({ timeoutMs: Number.NaN }, callDefaults)).toThrow("timeoutMs");
  expect(() => execSettings({ maxOutputBytes: -1 }, callDefaults)).toThrow("maxOutputBytes");
});

test("names and values that no program could receive are refused", () => {
  checkCommand("true", { A: "b", "a.b": "x=y" });
  expect(() => checkCommand("a\0b")).toThrow("NUL");
  for (const name of ["", "A=B", "-u", "A\0"]) expect(() => checkCommand("true", { [name]: "x" })).toThrow("no name");
  expect(() => checkCommand("true", { A: "\0" })).toThrow("variable A");
});

test("four variables are given, none of them the host's", () => {
  expect(Object.keys(basicVariables).sort()).toEqual(["HOME", "LANG", "PATH", "TMPDIR"]);
});
