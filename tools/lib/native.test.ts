import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildAddon, findCompiler, sourceDigest, sourceFiles, wasmProblem } from "./native.mjs";

test("the committed WASM was built from the sources that are here", () => {
  expect(wasmProblem()).toBeUndefined();
});

test("the digest of sources changes with any name or content, and with nothing else", () => {
  const folder = mkdtempSync(join(tmpdir(), "hone-native-"));
  try {
    mkdirSync(join(folder, "kernel"));
    writeFileSync(join(folder, "a.c"), "int a;\n");
    writeFileSync(join(folder, "kernel/b.h"), "int b;\n");
    writeFileSync(join(folder, "notes.md"), "not a source");
    expect(sourceFiles(folder)).toEqual(["a.c", "kernel/b.h"]);
    const before = sourceDigest(folder);
    writeFileSync(join(folder, "notes.md"), "still not a source");
    writeFileSync(join(folder, "a.c"), "int a;\r\n");
    expect(sourceDigest(folder)).toBe(before);
    writeFileSync(join(folder, "kernel/b.h"), "int c;\n");
    expect(sourceDigest(folder)).not.toBe(before);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("without a compiler the addon is skipped, with what is used instead", async () => {
  expect(await findCompiler(["hone-no-such-compiler"])).toBeUndefined();
  expect(await buildAddon({ compilers: ["hone-no-such-compiler"] })).toEqual({
    skipped: expect.stringContaining("WASM kernels are used"),
  });
});
