// The suites on real interpreters, and what is special about these: no way from Python to JavaScript, a fresh interpreter for every command, files that outlive it.
import { readdirSync } from "node:fs";
import type { ExecOptions, ExecResult, SandboxLease } from "@hone/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quote } from "../shared/quote.ts";
import { hostileSuite, sandboxConformance } from "../testing/index.ts";
import { pyodide } from "./pyodide.ts";
import { pythonCommands } from "./test-python-commands.ts";

const provider = pyodide();
const suite = {
  name: "pyodide",
  provider,
  isolates: true,
  features: { jobs: true, processes: false, shell: false, workFolder: true, links: true, snapshot: true },
  commands: pythonCommands,
};
const api = { describe, test, expect };
const { signal } = new AbortController();

sandboxConformance(suite, api);
hostileSuite(suite, api);

describe("one sandbox", () => {
  let lease: SandboxLease;
  beforeAll(async () => {
    lease = await provider.open({}, { signal });
  });
  afterAll(() => lease[Symbol.asyncDispose]());
  const python = (code: string, options: ExecOptions = {}): Promise<ExecResult> =>
    lease.sandbox.exec(`python3 -c ${quote(code)}`, { timeoutMs: 20_000, ...options });
  const run = (command: string, options: ExecOptions = {}): Promise<ExecResult> => lease.sandbox.exec(command, options);

  describe("from Python no way leads to JavaScript", () => {
    /** The modules that lead there come back when their hiding place is cleared away; calling anything in them ends the program. */
    const unhide = "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if f.__name__ != '_Hidden']\n";

    test.each(["js", "pyodide", "pyodide.ffi", "pyodide_js", "_pyodide_core", "ctypes"])(
      "there is no module %s",
      async (name) => {
        const { exitCode, stderr } = await python(`import ${name}`);
        expect([exitCode, stderr.includes("ModuleNotFoundError")]).toEqual([1, true]);
      },
    );

    test.each([
      ["a JavaScript value", `${unhide}import _pyodide_core\n_pyodide_core.to_js([1])`],
      [
        "a function found in memory",
        "import gc\n[o([1]) for o in gc.get_objects() if getattr(o, '__name__', '') == 'to_js']",
      ],
      [
        "a function of the runtime by its address",
        `${unhide}import _ctypes\n_ctypes.dlsym(_ctypes.dlopen(None, 0), 'system')`,
      ],
    ])("%s ends the program", async (_name, code) => {
      const { exitCode, stderr } = await python(code);
      expect([exitCode, stderr]).toEqual([159, expect.stringContaining("the sandbox forbids the call")]);
      expect((await python("print(1)")).stdout).toBe("1\n");
    });

    test("os.system, which runs programs of the host in plain Pyodide, runs nothing", async () => {
      expect(await python("import os; print(os.system('echo escaped'))")).toMatchObject({
        exitCode: 0,
        stdout: "-1\n",
      });
    });
  });

  describe("every command finds a fresh interpreter", () => {
    test("whatever the last one did to it", async () => {
      await python("import builtins, sys, os; builtins.len = None; sys.modules.clear(); os.environ.clear(); x = 1");
      const { stdout } = await python("import os, json; print(len('ab'), 'x' in globals(), 'PATH' in os.environ)");
      expect(stdout).toBe("2 False True\n");
    });

    test("and the library cannot be changed", async () => {
      for (const code of ["open('/lib/python314.zip', 'wb')", "import os; os.mkdir('/lib/x')", "open('/dev/x', 'w')"]) {
        const { exitCode, stderr } = await python(code);
        expect([exitCode, stderr.includes("Read-only file system")]).toEqual([1, true]);
      }
    });

    test("with random numbers of its own", async () => {
      const code = "import random, uuid; print(random.random(), uuid.uuid4())";
      expect((await python(code)).stdout).not.toBe((await python(code)).stdout);
    });
  });

  describe("programs behave as under python3", () => {
    test("a file with arguments, a module, standard input and a here-document are programs", async () => {
      await lease.sandbox.write("app/main.py", "import sys, helper; print(sys.argv, __name__, __file__, helper.x)");
      await lease.sandbox.write("app/helper.py", "x = 5");
      expect((await run("python3 app/main.py 'a b' c")).stdout).toBe(
        "['app/main.py', 'a b', 'c'] __main__ /work/app/main.py 5\n",
      );
      expect((await run("python3 -m helper", { cwd: "app" })).exitCode).toBe(0);
      const isolated = await run("python3 -I app/main.py");
      expect([isolated.exitCode, isolated.stderr.includes("No module named 'helper'")]).toEqual([1, true]);
      expect((await run("python3 -m json.tool --compact", { stdin: '{ "a": 1 }' })).stdout).toBe('{"a":1}\n');
      expect((await run("python3 - x", { stdin: "import sys; print(sys.argv)" })).stdout).toBe("['-', 'x']\n");
      expect((await run("python3 - <<'END'\nprint('$HOME')\nEND")).stdout).toBe("$HOME\n");
      expect(await run("python3 nowhere.py")).toMatchObject({
        exitCode: 2,
        stderr: "python3: can't open file '/work/nowhere.py': [Errno 2] No such file or directory\n",
      });
    });

    test("errors are told as Python tells them", async () => {
      await lease.sandbox.write("broken.py", "def f():\n    1/0\nf()\n");
      expect((await run("python3 broken.py")).stderr).toBe(
        'Traceback (most recent call last):\n  File "/work/broken.py", line 3, in <module>\n    f()\n    ~^^\n' +
          '  File "/work/broken.py", line 2, in f\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n',
      );
      expect(await python("x = (")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("was never closed") });
    });

    test.each([
      ["raise SystemExit('bye')", 1, "bye\n"],
      ["import os; os._exit(7)", 7, ""],
      ["import os; os.abort()", 134, ""],
      ["import os; os.kill(os.getpid(), 15)", 143, ""],
      ["import atexit, sys; atexit.register(lambda: sys.stderr.write('last')); sys.exit(3)", 3, "last"],
      ["raise KeyboardInterrupt", 130, expect.stringContaining("KeyboardInterrupt")],
      ["def f(): f()\nf()", 1, expect.stringContaining("RecursionError")],
      ["class A:\n  def __getattr__(s, n): return getattr(s, n)\nA().x", 1, expect.stringContaining("RecursionError")],
      ["x = ()\nfor _ in range(1_000_000): x = (x,)\ndel x", 139, expect.stringContaining("broke the interpreter")],
      [
        "import threading; threading.Thread(target=print).start()",
        1,
        expect.stringContaining("can't start new thread"),
      ],
    ])("%j ends with %i", async (code, exitCode, stderr) => {
      expect(await python(code)).toMatchObject({ exitCode, stderr, timedOut: false });
      expect((await python("print('on')")).stdout).toBe("on\n");
    });

    test("asyncio and sleeping work without a processor's full attention", async () => {
      const code = `
import asyncio, time
async def main():
    try:
        async with asyncio.timeout(0.05): await asyncio.sleep(60)
    except TimeoutError: print(await asyncio.gather(*[asyncio.sleep(0.01 * i, i) for i in (2, 1)]))
start = time.process_time(); time.sleep(0.2); asyncio.run(main())`;
      expect(await python(code)).toMatchObject({ exitCode: 0, stdout: "[2, 1]\n" });
    });

    test("a shell's commands are refused with words", async () => {
      expect(await run("ls -l")).toMatchObject({ exitCode: 127, stderr: expect.stringContaining("ls: not found") });
      expect(await run("python3 x.py | cat")).toMatchObject({ exitCode: 2, stdout: "" });
      await expect(lease.sandbox.start("ls")).rejects.toMatchObject({ code: "bad-argument" });
    });
  });

  test("what cannot be interrupted is killed at its time limit, and files stay", async () => {
    await python("open('before.txt', 'w').write('kept')");
    const result = await python("open('during.txt', 'w').write('lost'); sum(range(10**12))", { timeoutMs: 300 });
    expect(result).toMatchObject({ exitCode: 137, timedOut: true, stderr: expect.stringContaining("was lost") });
    expect((await python("import os; print(open('before.txt').read(), os.path.exists('during.txt'))")).stdout).toBe(
      "kept False\n",
    );
  });

  test("a hung job is interrupted and goes on; one that catches everything is killed", async () => {
    await lease.sandbox.write(
      "cells.py",
      "import sys\nfor line in sys.stdin:\n    try: exec(line)\n    except KeyboardInterrupt: print('interrupted')\n    sys.stdout.flush()\n",
    );
    const job = await lease.sandbox.start("python3 cells.py");
    const output = job.output[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => ((await output.next()).value as { readonly text: string }).text;
    await job.write("x = 5; print('up')\n");
    expect(await next()).toBe("up\n");
    for (const endless of ["while True: pass", "import time; time.sleep(60)"]) {
      await job.write(
        `print('in', flush=True); ${endless.startsWith("while") ? `exec(${JSON.stringify(endless)})` : endless}\n`,
      );
      expect(await next()).toBe("in\n");
      await job.signal("SIGINT");
      expect(await next()).toBe("interrupted\n");
    }
    await job.write("print(x, open('/work/by-job.txt', 'w').write('seen'))\n");
    expect(await next()).toBe("5 4\n");
    expect(Buffer.from(await lease.sandbox.read("by-job.txt")).toString()).toBe("seen");
    await lease.sandbox.write("for-job.txt", "told");
    await job.write("print(open('/work/for-job.txt').read())\n");
    expect(await next()).toBe("told\n");
    await job.write(
      "print('deaf', flush=True); exec('while True:\\n try:\\n  while True: pass\\n except BaseException: pass')\n",
    );
    expect(await next()).toBe("deaf\n");
    await job.signal("SIGKILL");
    expect(await job.ended).toBe(137);
  });
});

test("no more programs than allowed run in one sandbox", async () => {
  await using lease = await provider.open({ processes: 2 }, { signal });
  const job = await lease.sandbox.start(pythonCommands.echoLines());
  await expect(lease.sandbox.start(pythonCommands.echoLines())).rejects.toMatchObject({ code: "bad-argument" });
  await job.signal("SIGTERM");
  expect(await job.ended).toBe(143);
  await (
    await lease.sandbox.start(pythonCommands.print("x"))
  ).ended;
});

test("what Pyodide does not have is refused when it is asked for", async () => {
  for (const spec of [{ image: "python:3.11" }, { network: true }]) {
    await expect(provider.open(spec, { signal })).rejects.toMatchObject({ code: "sandbox-spec" });
  }
});

test.skipIf(process.platform !== "linux")("an opened and closed sandbox leaves no descriptor open", async () => {
  const count = (): number => readdirSync("/proc/self/fd").length;
  const before = count();
  for (let round = 0; round < 2; round++) await (await provider.open({}, { signal }))[Symbol.asyncDispose]();
  expect(count()).toBeLessThanOrEqual(before);
});
