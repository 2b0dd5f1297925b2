import type { SandboxLease } from "@hone/core";
import { lacking, testSandboxes } from "@hone/sandbox/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type CodeTest, runTests } from "./run-tests.ts";

const sandboxes = testSandboxes();
const programs: Readonly<Record<string, string>> = { python: "python3", javascript: "node", bash: "bash", c: "cc" };
let lease: SandboxLease;
beforeAll(async () => {
  lease = await sandboxes.open({}, { signal: new AbortController().signal });
});
afterAll(() => lease[Symbol.asyncDispose]());

const doubled: readonly CodeTest[] = [
  { stdin: "2\n", stdout: "4\n" },
  { stdin: "-3\n", stdout: "-6" },
];
const missing = Object.fromEntries(
  await Promise.all(
    Object.entries(programs).map(async ([language, command]) => [language, await lacking(sandboxes, command)] as const),
  ),
);
beforeEach(({ task, skip }) => {
  const reason =
    Object.entries(missing).find(([language, why]) => why !== undefined && task.name.startsWith(language))?.[1] ??
    missing["python"];
  skip(reason !== undefined, reason);
});
const run = (language: string, program: string, tests: readonly CodeTest[] = doubled) =>
  runTests({ sandbox: lease.sandbox, language, program, tests, testSeconds: 2 });

test.each([
  ["python", "print(2 * int(input()))"],
  ["javascript", 'import { readFileSync } from "node:fs";\nconsole.log(2 * Number(readFileSync(0, "utf8")));'],
  ["bash", "read n; echo $((2 * n))"],
  ["c", '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d\\n", 2 * n); }'],
])("%s programs are checked and run", async (language, program) => {
  expect(await run(language, program)).toMatchObject({ outcomes: ["passed", "passed"], share: 1 });
});

test.each([
  ["python", "print(2 * int(input())", "compile-error"],
  ["c", "int main(void) { return 0 }", "compile-error"],
  ["bash", "if true; then", "compile-error"],
  ["python", "raise RuntimeError('no')", "run-error"],
  ["python", "print(1)", "wrong-answer"],
  ["python", "while True: pass", "time-out"],
])("%s: %s is a %s", async (language, program, outcome) => {
  const { outcomes, share } = await run(language, program, doubled.slice(0, 1));
  expect([outcomes, share]).toEqual([[outcome], 0]);
});

test("tests that are code are appended to the program; a failed assertion is a wrong answer", async () => {
  const tests = [{ code: "assert f(1) == 2" }, { code: "assert f(1) == 3" }, { code: "assert g(1)" }];
  expect(await run("python", "def f(x):\n    return x + 1", tests)).toMatchObject({
    outcomes: ["passed", "wrong-answer", "run-error"],
    share: 1 / 3,
  });
});

test("a program cannot be helped by files beside it", async () => {
  await lease.sandbox.write("/work/math.py", "def sqrt(x): return 42");
  const { outcomes } = await run("python", "import math", [{ code: "assert math.sqrt(4) == 2" }]);
  expect(outcomes).toEqual(["passed"]);
});

test("an unknown language names those there are", async () => {
  await expect(run("cobol", "")).rejects.toThrow("There is no language cobol");
});
