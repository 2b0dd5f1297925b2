import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dependencyProblems, workspaceDependencies } from "./dependencies-doc.mjs";

function workspace(manifests: Readonly<Record<string, object>>): string {
  const root = mkdtempSync(join(tmpdir(), "hone-dependencies-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [folder, manifest] of Object.entries(manifests)) {
    const path = join(root, folder, "package.json");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(manifest));
  }
  return root;
}

const dependencies = [
  { name: "zod", kind: "runtime" as const, version: "4.6.7", where: "core, env" },
  { name: "vitest", kind: "development" as const, version: "4.1.12", where: "root" },
];
const licenceOf = (): string => "MIT";
const runtime = "## What users install\n| package | version | where | licence |\n|---|---|---|---|\n";
const development =
  "## What only this repository installs\n| package | version | where | licence |\n|---|---|---|---|\n";
const zod = "| `zod` | 4.6.7 | core, env | MIT |\n";
const vitest = "| `vitest` | 4.1.12 | root | MIT |\n";

function problemsOf(page: string): readonly string[] {
  return dependencyProblems({ page, dependencies, licenceOf }).map(({ message }) => message);
}

test("a dependency is for users where any package needs it, and for us where only tests do", () => {
  const root = workspace({
    ".": { devDependencies: { vitest: "4.1.12" } },
    "packages/core": { dependencies: { zod: "4.6.7" } },
    "packages/env": {
      dependencies: { "@hone/core": "0.1.0" },
      peerDependencies: { zod: "^4.6.0" },
      devDependencies: { zod: "4.6.7" },
    },
    "environments/game": { peerDependencies: { zod: "^4.6.0" }, devDependencies: { zod: "4.6.7" } },
  });
  expect(workspaceDependencies(root)).toEqual([dependencies[1], dependencies[0]]);
});

test("a page with a right row for each dependency is fine", () => {
  expect(problemsOf(runtime + zod + development + vitest)).toEqual([]);
});

test("a dependency without a row is named with its place", () => {
  expect(problemsOf(runtime + zod)).toEqual(['vitest (root) has no row under "What only this repository installs"']);
});

test("a row without a dependency is named", () => {
  expect(problemsOf(`${runtime}${zod}| \`left-pad\` | 1.3.0 | core | MIT |\n${development}${vitest}`)).toEqual([
    "no package.json names left-pad",
  ]);
});

test("a wrong version, place or licence is named, and so is a row in the wrong table", () => {
  const row = "| `zod` | 4.0.0 | core | ISC |\n";
  expect(problemsOf(`${runtime}${development}${row}${vitest}`)).toEqual([
    "version of zod is 4.6.7, not 4.0.0",
    "where of zod is core, env, not core",
    "licence of zod is MIT, not ISC",
    'zod belongs under "What users install"',
  ]);
});
