// Proof that the core runs in a browser: from both entries, no import leads to Node or to an unknown package, and no source names a Node global.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const strings = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const comments = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const imports = /\b(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;
const globals = /(?<![.\w])(Buffer|process|require|__dirname|__filename|setImmediate|global)\b(?!\s*:)/g;

interface Walk {
  readonly files: string[];
  /** "file: what is wrong". */
  readonly problems: string[];
}

/** Everything reachable from `entry`; a package is walked from the file that `packages` gives, for its imports only. */
function walk(entry: string, packages: Readonly<Record<string, string>>): Walk {
  const files: string[] = [];
  const problems: string[] = [];
  const visit = (file: string, isOwn: boolean): void => {
    if (files.includes(file)) return;
    files.push(file);
    const source = readFileSync(file, "utf8").replace(comments, "$1");
    for (const [, from, bare] of source.matchAll(imports)) {
      const specifier = from ?? bare ?? "";
      const known = packages[specifier];
      if (isBuiltin(specifier)) problems.push(`${file}: imports ${specifier}`);
      else if (specifier.startsWith(".")) visit(resolve(dirname(file), specifier), isOwn);
      else if (known === undefined) problems.push(`${file}: imports the package ${specifier}`);
      else visit(known, false);
    }
    if (!isOwn) return;
    for (const [, name] of source.replace(strings, '""').matchAll(globals)) problems.push(`${file}: uses ${name}`);
  };
  visit(entry, true);
  return { files, problems };
}

describe("@hone/core", () => {
  const zod = join(dirname(createRequire(import.meta.url).resolve("zod/package.json")), "index.js");
  for (const entry of ["index.ts", "testing/index.ts"]) {
    test(`nothing that ${entry} reaches needs Node`, () => {
      const { files, problems } = walk(join(import.meta.dirname, entry), { zod });
      expect(problems).toEqual([]);
      expect(files).toContain(join(import.meta.dirname, "rollout.ts"));
      expect(files.length).toBeGreaterThan(100);
    });
  }
});

describe("the walk finds", () => {
  const folder = mkdtempSync(join(tmpdir(), "hone-walk-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const problemsOf = (sources: Readonly<Record<string, string>>): string[] => {
    for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
    return walk(join(folder, "entry.ts"), {}).problems.map((problem) => problem.slice(folder.length + 1));
  };

  test("a Node import behind another file", () => {
    const entry = 'import { a } from "./a.ts";\nexport { a };';
    expect(problemsOf({ "entry.ts": entry, "a.ts": 'import "node:fs";\nexport const a = 1;' })).toEqual([
      "a.ts: imports node:fs",
    ]);
    expect(problemsOf({ "entry.ts": 'export * from "./a.ts";' })).toEqual(["a.ts: imports node:fs"]);
    expect(problemsOf({ "entry.ts": 'await import("./a.ts");' })).toEqual(["a.ts: imports node:fs"]);
  });

  test("every form of import, over several lines too", () => {
    const forms = [
      'import fs from "fs";',
      "import * as fs from 'node:fs';",
      'import {\n  readFile,\n  type Stats,\n} from "fs/promises";',
      'export { readFile } from "node:fs/promises";',
      'const fs = await import("node:fs");',
    ];
    expect(forms.map((form) => problemsOf({ "entry.ts": form }).length)).toEqual(forms.map(() => 1));
    expect(problemsOf({ "entry.ts": 'import pad from "left-pad";' })).toEqual([
      "entry.ts: imports the package left-pad",
    ]);
  });

  test("a Node global, but not the word in a comment, a text or a property", () => {
    expect(problemsOf({ "entry.ts": "export const a = Buffer.from([1]);" })).toEqual(["entry.ts: uses Buffer"]);
    expect(problemsOf({ "entry.ts": "if (process.env.A) require(`x`);" })).toEqual([
      "entry.ts: uses process",
      "entry.ts: uses require",
    ]);
    const innocent = '// import "node:fs" in a process\n/* Buffer */ const a = "process // require"; a.process();';
    expect(problemsOf({ "entry.ts": innocent })).toEqual([]);
  });
});
