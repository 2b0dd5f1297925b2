import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkLayers } from "./layers.mjs";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

interface Manifest {
  readonly dependencies?: readonly string[];
  readonly devDependencies?: readonly string[];
  readonly peerDependencies?: readonly string[];
}

/** One package.json, with every version the same. */
function manifest(name: string, fields: Manifest = {}): string {
  const versions = Object.entries(fields).map(([kind, names]) => [
    kind,
    Object.fromEntries((names as readonly string[]).map((dependency) => [dependency, "1.0.0"])),
  ]);
  return JSON.stringify({ name, ...Object.fromEntries(versions) }, null, 2);
}

/** The problems of a workspace of these files, as the tool prints them. */
function problemsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), "hone-layers-"));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkLayers(root).map(({ path, line, column, message }) => `${path}:${line}:${column} ${message}`);
}

const core = { "packages/core/package.json": manifest("@hone/core", { dependencies: ["zod"] }) };
const env = {
  "packages/env/package.json": manifest("@hone/env", {
    dependencies: ["@hone/core"],
    peerDependencies: ["zod", "hyparquet"],
  }),
};

test("arrows that point down are fine", () => {
  expect(
    problemsOf({
      ...core,
      "packages/core/src/task.ts": 'import * as z from "zod";\nimport "./data.ts";',
      "packages/model/package.json": manifest("@hone/model", { dependencies: ["@hone/core"] }),
      "packages/model/src/index.ts": 'import { Task } from "@hone/core";\nimport { readFile } from "node:fs/promises";',
    }),
  ).toEqual([]);
});

test("an arrow up is refused where it is declared", () => {
  expect(
    problemsOf({
      "packages/store/package.json": manifest("@hone/store", { dependencies: ["@hone/eval"] }),
      "packages/eval/package.json": manifest("@hone/eval"),
    }),
  ).toEqual([
    "packages/store/package.json:4:5 @hone/store (layer 2) may not depend on @hone/eval (layer 4): arrows only point down",
  ]);
});

test("an arrow sideways is refused, in development too", () => {
  const problems = problemsOf({
    "packages/store/package.json": manifest("@hone/store", { devDependencies: ["@hone/config"] }),
    "packages/config/package.json": manifest("@hone/config"),
  });
  expect(problems).toEqual([expect.stringContaining("arrows only point down")]);
});

test("the one arrow sideways that is drawn passes", () => {
  expect(
    problemsOf({
      "packages/engine-torch/package.json": manifest("@hone/engine-torch", { dependencies: ["@hone/engine-tinker"] }),
      "packages/engine-tinker/package.json": manifest("@hone/engine-tinker"),
    }),
  ).toEqual([]);
});

test("train is handed its engine", () => {
  const problems = problemsOf({
    "packages/train/package.json": manifest("@hone/train", { dependencies: ["@hone/engine-cpu"] }),
    "packages/engine-cpu/package.json": manifest("@hone/engine-cpu"),
  });
  expect(problems).toEqual([expect.stringContaining("never depends on @hone/engine-cpu")]);
});

test("env depends on core and on nothing else of ours", () => {
  const problems = problemsOf({
    ...core,
    "packages/env/package.json": manifest("@hone/env", { dependencies: ["@hone/core", "@hone/store"] }),
    "packages/store/package.json": manifest("@hone/store"),
  });
  expect(problems).toEqual(["packages/env/package.json:5:5 @hone/env may only depend on core, not on @hone/store"]);
});

test("a package nobody gave a layer is named", () => {
  const problems = problemsOf({ "packages/misc/package.json": manifest("@hone/misc") });
  expect(problems).toEqual([expect.stringContaining("misc has no layer")]);
});

test("an import that package.json does not declare is refused at its place", () => {
  expect(
    problemsOf({
      ...core,
      "packages/store/package.json": manifest("@hone/store"),
      "packages/store/src/index.ts": '// A comment.\nexport { Task } from "@hone/core";',
    }),
  ).toEqual(["packages/store/src/index.ts:2:22 @hone/core is not in the dependencies of packages/store/package.json"]);
});

test("tests may use devDependencies, sources may not", () => {
  const problems = problemsOf({
    ...core,
    "packages/tokens/package.json": manifest("@hone/tokens", { devDependencies: ["@hone/core"] }),
    "packages/tokens/src/a.test.ts": 'import "@hone/core/testing";\nimport "vitest";',
    "packages/tokens/src/a.ts": 'import "@hone/core";',
  });
  expect(problems).toEqual([expect.stringMatching(/^packages\/tokens\/src\/a\.ts:1:8 /)]);
});

test("another package's files are not reached by relative path, not even from a test", () => {
  const reach = 'import { Task } from "../../core/src/task.ts";';
  const problems = problemsOf({
    ...core,
    "packages/core/src/task.ts": "",
    "packages/store/package.json": manifest("@hone/store", { dependencies: ["@hone/core"] }),
    "packages/store/src/a.ts": reach,
    "packages/store/src/a.test.ts": reach,
  });
  expect(problems).toHaveLength(2);
  expect(problems[0]).toContain("a file of @hone/core by relative path: import @hone/core");
});

test("a source file stays inside its package; a test may read the repository", () => {
  const outside = 'const readme = new URL("../../../README.md", import.meta.url);';
  const problems = problemsOf({
    ...core,
    "packages/core/src/a.ts": outside,
    "packages/core/src/a.test.ts": outside,
  });
  expect(problems).toEqual([expect.stringMatching(/^packages\/core\/src\/a\.ts:1:24 .* lies outside packages\/core$/)]);
});

test("core imports zod only, and nothing of Node", () => {
  const problems = problemsOf({
    ...core,
    "packages/core/src/a.ts": 'import "zod";\nimport "node:fs";\nimport "path";\nimport "undici";',
    "packages/core/src/a.test.ts": 'import "node:fs";\nimport "fast-check";',
  });
  expect(problems.map((problem) => problem.split(" ").at(-1))).toEqual(["node:fs", "path", "undici"]);
});

test("env keeps its optional peers to the folders that say so", () => {
  const parquet = 'import * as z from "zod";\nimport { parquetRead } from "hyparquet";';
  const problems = problemsOf({
    ...core,
    ...env,
    "packages/env/src/data/parquet.ts": parquet,
    "packages/env/src/task/taskset.ts": parquet,
  });
  expect(problems).toEqual([expect.stringMatching(/^packages\/env\/src\/task\/taskset\.ts:2:29 env depends on zod/)]);
});

test("the web app uses browser-safe entries and its own files only", () => {
  const problems = problemsOf({
    ...core,
    "packages/store/package.json": manifest("@hone/store"),
    "packages/web/package.json": manifest("@hone/web", { dependencies: ["@hone/core", "@hone/store", "react"] }),
    "packages/web/src/app/page.tsx": [
      'import "@hone/core";',
      'import "react";',
      'import "./chart.tsx";',
      'import "@hone/store";',
      'import "node:path";',
      'import "../server/serve.ts";',
    ].join("\n"),
    "packages/web/src/server/serve.ts": 'import "@hone/store";\nimport "node:http";',
  });
  expect(problems.map((problem) => problem.split(":")[1])).toEqual(["4", "5", "6"]);
});

test("an environment imports @hone/env, zod and what it declares", () => {
  const problems = problemsOf({
    ...core,
    ...env,
    "environments/words/package.json": manifest("@hone/words", {
      peerDependencies: ["@hone/env", "zod"],
      dependencies: ["word-list"],
    }),
    "environments/words/src/index.ts": [
      'import "@hone/env";',
      'import "@hone/env/data";',
      'import "zod";',
      'import "word-list";',
      'import "lodash";',
      'import "@hone/core";',
      'import "@hone/env/testing";',
    ].join("\n"),
    "environments/words/src/index.test.ts": 'import "@hone/env/testing";\nimport "vitest";',
  });
  expect(problems.map((problem) => problem.split(":")[1])).toEqual(["5", "6", "7"]);
});

test("an environment declares no other package of ours", () => {
  const problems = problemsOf({
    ...core,
    ...env,
    "environments/words/package.json": manifest("@hone/words", { peerDependencies: ["@hone/env", "@hone/core"] }),
  });
  expect(problems).toEqual([expect.stringContaining("an environment may only depend on @hone/env, not on @hone/core")]);
});

test("tests of an environment may use a sandbox, its code may not", () => {
  const files = (kind: "dependencies" | "devDependencies") => ({
    ...core,
    ...env,
    "packages/sandbox/package.json": manifest("@hone/sandbox", { dependencies: ["@hone/core"] }),
    "environments/shell/package.json": manifest("@hone/shell", {
      peerDependencies: ["@hone/env"],
      [kind]: ["@hone/sandbox"],
    }),
    "environments/shell/src/index.test.ts": 'import { testSandboxes } from "@hone/sandbox/testing";',
  });
  expect(problemsOf(files("devDependencies"))).toEqual([]);
  expect(problemsOf(files("dependencies"))).toEqual([
    expect.stringContaining("an environment may only depend on @hone/env"),
  ]);
});
