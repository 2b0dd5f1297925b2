// Choosing a build.
import { expect, test } from "vitest";
import { loadKernels } from "./load.ts";
import { addonHere } from "./testing/builds.ts";

test.each([0, 65, 1.5, NaN])("%d threads are refused", (threads) => {
  expect(() => loadKernels({ threads })).toThrow(/threads is .*; it must be a whole number from 1 to 64/);
});

test("WASM is used where it is preferred, and that is no fallback", () => {
  const { kernels, fallback } = loadKernels({ prefer: "wasm", threads: 1 });
  expect(kernels.info).toEqual({ build: "wasm", instructionSet: "wasm", threads: 1 });
  expect(fallback).toBeUndefined();
  kernels.close();
});

test.skipIf(addonHere() === undefined)("an instruction set that the processor does not have is refused", () => {
  expect(() => loadKernels({ threads: 1, instructionSet: "z80" })).toThrow(/no instruction set "z80"/);
});
