import type { SandboxLease } from "@hone/core";
import { lacking, testSandboxes } from "@hone/sandbox/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PythonSession } from "./session.ts";

const sandboxes = testSandboxes();
const noPython = await lacking(sandboxes, "python3");
beforeEach(({ skip }) => skip(noPython !== undefined, noPython));
let lease: SandboxLease;
beforeAll(async () => {
  lease = await sandboxes.open({}, { signal: new AbortController().signal });
});
afterAll(() => lease[Symbol.asyncDispose]());

async function cells(...codes: readonly string[]): Promise<string[]> {
  const session = new PythonSession(lease.sandbox, { cellSeconds: 2, maxOutputBytes: 300 });
  const texts: string[] = [];
  for (const code of codes) texts.push((await session.run(code)).text);
  return texts;
}

describe("a Python session shows what Python's own prompt shows", () => {
  test("state, imports and definitions survive; the value of a last expression is shown", async () => {
    expect(
      await cells("import math\nn = 2", "def double(x):\n    return 2 * x", "double(n) + math.floor(math.pi)", "_ + 1"),
    ).toEqual(["", "", "7\n", "8\n"]);
  });

  test("None is not shown, text is shown as Python writes it", async () => {
    expect(await cells("None", "'it\\'s'", "print('é', \"quoted\")")).toEqual(["", '"it\'s"\n', "é quoted\n"]);
  });

  test("a traceback names the cell and its line, and nothing of the session's own program", async () => {
    const [text = ""] = await cells("def f():\n    return 1 / 0\n\nf()");
    expect(text).toContain('File "<cell 1>", line 4, in <module>');
    expect(text).toContain("ZeroDivisionError: division by zero");
    expect(text).not.toContain("<string>");
  });

  test("a syntax error is an answer, not an end", async () => {
    expect((await cells("x = (", "1 + 1")).map((text) => text.trim().split("\n").at(-1))).toEqual([
      "SyntaxError: '(' was never closed",
      "2",
    ]);
  });

  test("what child processes print is caught, in order", async () => {
    expect(await cells("import os\nprint('one')\nos.system('echo two')\nprint('three')")).toEqual([
      "one\ntwo\nthree\n",
    ]);
  });

  test("long output is cut and says by how much", async () => {
    expect((await cells("print('a' * 1000)"))[0]).toMatch(/^a{300}\n\(truncated 701 bytes\)$/);
  });
});

test("a hung cell is interrupted and the session survives", async () => {
  const [, hung = "", after] = await cells("n = 5", "while True: pass", "n");
  expect(hung).toContain("KeyboardInterrupt");
  expect(hung).toContain("The cell was interrupted after 2 s.");
  expect(after).toBe("5\n");
});

test("a session that died, or would not stop, starts anew and says so", async () => {
  const [died, after, stubborn, later] = await cells(
    "import os; os._exit(7)",
    "1 + 1",
    "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
    "2 + 2",
  );
  expect(died).toBe("The Python session ended (exit code 7). The next cell starts a new one.");
  expect(after).toBe(
    "(The Python session was restarted. Variables, imports and definitions from before are gone.)\n2\n",
  );
  expect(stubborn).toContain("It did not stop, so the Python session was ended");
  expect(later).toContain("restarted");
});

test("cells given at once run one after the other", async () => {
  const session = new PythonSession(lease.sandbox);
  const results = await Promise.all(["xs = [1]", "xs.append(2)", "xs"].map((code) => session.run(code)));
  expect(results.at(-1)?.text).toBe("[1, 2]\n");
});

test("no Python in the sandbox is a failure with a way out", async () => {
  const session = new PythonSession(lease.sandbox, { command: "no-such-python" });
  await expect(session.run("1")).rejects.toMatchObject({ code: "sandbox-python" });
});
