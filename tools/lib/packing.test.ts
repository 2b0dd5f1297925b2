import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packProblems, stagePackage } from "./packing.mjs";

let root: string;

function write(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Stages the package and returns the files that a tarball of it holds. */
function stage(): readonly string[] {
  stagePackage({ root, folder: join(root, "package"), stage: join(root, "stage") });
  return readdirSync(join(root, "stage"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "stage/").length))
    .sort();
}

const manifest = {
  name: "@hone/fixture",
  files: ["dist", "bin"],
  bin: { fixture: "./bin/fixture.js" },
  exports: { ".": { "@hone/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" } },
  imports: { "#worker/*": "./dist/worker/*.js" },
  scripts: { test: "vitest" },
  dependencies: { zod: "4.6.7" },
  devDependencies: { tsx: "1.0.0" },
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hone-packing-"));
  write({
    LICENSE: "the licence",
    "package/package.json": JSON.stringify(manifest),
    "package/README.md": "# Fixture",
    "package/bin/fixture.js": "",
    "package/src/index.ts": "",
    "package/dist/.tsbuildinfo": "{}",
    "package/dist/index.js": "export const a = 1;\n//# sourceMappingURL=index.js.map",
    "package/dist/index.js.map": "{}",
    "package/dist/index.d.ts": "export declare const a = 1;\n//# sourceMappingURL=index.d.ts.map",
    "package/dist/index.test.js": "",
    "package/dist/index.test.d.ts": "",
    "package/dist/types.test-d.js": "",
    "package/dist/test-server.js": "",
    "package/dist/testing/helper.js": "",
    "package/dist/worker/run.js": "",
    "package/dist/worker/run.d.ts": "",
  });
});
afterEach(() => rmSync(root, { recursive: true }));

test("a package holds code, types, licence and README, and nothing of its tests", () => {
  expect(stage()).toEqual([
    "LICENSE",
    "README.md",
    "bin/fixture.js",
    "dist/index.d.ts",
    "dist/index.js",
    "dist/worker/run.d.ts",
    "dist/worker/run.js",
    "package.json",
  ]);
  expect(packProblems(join(root, "stage"), stage())).toEqual([]);
});

test("what only this repository uses is not in the published manifest", () => {
  stage();
  expect(JSON.parse(readFileSync(join(root, "stage/package.json"), "utf8"))).toEqual({
    name: manifest.name,
    files: manifest.files,
    bin: manifest.bin,
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    imports: manifest.imports,
    dependencies: manifest.dependencies,
  });
});

test("code and types do not point to source maps that are not there", () => {
  stage();
  expect(readFileSync(join(root, "stage/dist/index.js"), "utf8")).toBe("export const a = 1;\n");
  expect(readFileSync(join(root, "stage/dist/index.d.ts"), "utf8")).toBe("export declare const a = 1;\n");
});

test("a package that was not built is caught", () => {
  rmSync(join(root, "package/dist"), { recursive: true });
  expect(packProblems(join(root, "stage"), stage())).toEqual([
    "package.json names dist/index.d.ts, which is not packed",
    "package.json names dist/index.js, which is not packed",
    "package.json names dist/worker/*.js, which is not packed",
  ]);
});

test("a tarball with tests, sources, stray maps or without types is caught", () => {
  const files = stage().filter((file) => file !== "LICENSE");
  write({ "stage/dist/lost.js": "//# sourceMappingURL=lost.js.map" });
  const added = ["dist/a.test.d.ts", "dist/index.js.map", "dist/b.ts", "dist/lost.js"];
  write({ "stage/dist/a.test.d.ts": "" });
  expect(packProblems(join(root, "stage"), [...files, ...added])).toEqual([
    "LICENSE is missing",
    "dist/a.test.d.ts is not for users",
    "dist/index.js.map is not for users",
    "dist/lost.js has no types beside it",
    "dist/b.ts is a source file",
    "dist/lost.js names a source map, which is not packed",
  ]);
});

test("helpers of tests are packed where the package exports them, and only there", () => {
  expect(stage()).not.toContain("dist/testing/helper.js");
  const exports = { ...manifest.exports, "./testing": { default: "./dist/testing/helper.js" } };
  write({ "package/package.json": JSON.stringify({ ...manifest, exports }) });
  expect(stage()).toContain("dist/testing/helper.js");
});
