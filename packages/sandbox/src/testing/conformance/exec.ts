// Commands: what goes in (input, variables, folder), what comes out (exit code), and how they are ended (time limit, abort).
import { type Check, eventually, expectRefused, printed, reasonOf, textOf } from "../rig.ts";

export function execChecks(check: Check): void {
  check("a command's exit code and both of its outputs come back", async (rig) => {
    const { box, run, expect } = rig;
    expect(await box.exec(run.print("héllo\n"))).toEqual(result({ stdout: "héllo\n" }));
    expect(await box.exec(run.printError("oh"))).toEqual(result({ stderr: "oh" }));
    expect(await box.exec(run.exitWith(7))).toEqual(result({ exitCode: 7 }));
  });

  check("standard input is what was given, or empty", async ({ box, run, expect }) => {
    expect((await box.exec(run.copyInput(), { stdin: "a\nb €" })).stdout).toBe("a\nb €");
    expect((await box.exec(run.copyInput())).stdout).toBe("");
    const long = "0123456789".repeat(100_000);
    const copied = await box.exec(run.copyInput(), { stdin: long, maxOutputBytes: 2 << 20 });
    expect(copied.stdout === long, "a million bytes come back as they went in").toBe(true);
  });

  check("variables are given to one command only", async ({ box, run, expect }) => {
    const value = `a'b"c $HOME \n é`;
    expect((await box.exec(run.printVariable("GIVEN"), { env: { GIVEN: value } })).stdout).toBe(
      value.replaceAll("\n", ""),
    );
    expect((await box.exec(run.printVariable("GIVEN"))).stdout).toBe("");
  });

  check("the host's variables are not there, and four useful ones are", async ({ box, run, expect }) => {
    const { stdout } = await box.exec(run.printVariables());
    const names = new Set(stdout.split("\n").map((line) => line.split("=")[0] ?? ""));
    // What a shell sets by itself.
    const own = ["PWD", "OLDPWD", "SHLVL", "_", ""];
    for (const name of ["PATH", "HOME", "LANG", "TMPDIR"]) expect(names.delete(name), name).toBe(true);
    const hosts = Object.keys(process.env).filter((name) => names.has(name) && !own.includes(name));
    expect(hosts).toEqual([]);
  });

  check("commands start in /work, or in the folder that is given", async ({ box, run, expect, options }) => {
    await box.write("sub/here.txt", "here");
    expect((await box.exec(run.printFile("sub/here.txt"))).stdout).toBe("here");
    expect((await box.exec(run.printFile("here.txt"), { cwd: "sub" })).stdout).toBe("here");
    expect((await box.exec(run.printFile("here.txt"), { cwd: "/work/sub" })).stdout).toBe("here");
    if (!options.features.workFolder) return;
    expect((await box.exec(run.printFolder())).stdout).toBe("/work");
    expect((await box.exec(run.printFolder(), { cwd: "sub" })).stdout).toBe("/work/sub");
  });

  check("in a folder that is not there a command fails, and says so", async ({ box, run, expect }) => {
    const { exitCode, stdout, stderr } = await box.exec(run.print("ran"), { cwd: "nowhere" });
    expect(exitCode).toBeGreaterThan(0);
    expect([stdout, stderr === ""]).toEqual(["", false]);
  });

  check("files that a command makes are there for the next one", async (rig) => {
    await printed(rig, rig.run.writeFile("made.txt", "kept"));
    rig.expect(await printed(rig, rig.run.printFile("made.txt"))).toBe("kept");
    rig.expect(textOf(await rig.box.read("made.txt"))).toBe("kept");
  });

  check("a command at its time limit is ended, and the sandbox goes on", async (rig) => {
    const { box, run, expect } = rig;
    for (const command of [run.loop(), run.sleep(60)]) {
      const ended = await box.exec(command, { timeoutMs: 300 });
      expect(ended.timedOut).toBe(true);
      expect(ended.exitCode).toBeGreaterThan(0);
    }
    const { timedOut } = await box.exec(run.print("x"));
    expect([timedOut, await printed(rig, run.print("on"))]).toEqual([false, "on"]);
  });

  check("an aborted command is ended and its error is the reason", async (rig) => {
    const { box, run, expect } = rig;
    const controller = new AbortController();
    const running = box.exec(run.sleep(60), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("called off")), 100);
    expect(String(await reasonOf(running, "an aborted command"))).toBe("Error: called off");
    expect(await printed(rig, run.print("on"))).toBe("on");
    const late = box.exec(run.writeFile("late.txt", "x"), { signal: controller.signal });
    expect(String(await reasonOf(late, "a command aborted before"))).toBe("Error: called off");
    expect(await box.list(".")).toEqual([]);
  });

  check("commands at the same time do not mix", async ({ box, run, expect }) => {
    const texts = Array.from({ length: 12 }, (_, index) => `text ${index}`);
    const results = await Promise.all(texts.map((text) => box.exec(run.print(text))));
    expect(results.map(({ stdout }) => stdout)).toEqual(texts);
  });

  check("what no program could receive is refused", async (rig) => {
    const { box, run } = rig;
    await expectRefused(rig, box.exec("a\0b"), "a command with NUL");
    await expectRefused(rig, box.exec(run.print("x"), { env: { "A=B": "x" } }), "a variable's name with =");
    await expectRefused(rig, box.exec(run.print("x"), { timeoutMs: 0 }), "no time at all");
    await expectRefused(rig, box.exec(run.print("x"), { cwd: "../.." }), "a folder outside of /work");
  });

  const shell = { needs: ["shell"] } as const;
  check(
    "a long command and one of many lines run",
    async ({ box, expect }) => {
      const long = `x='${"y".repeat(200_000)}'; printf %s "\${#x}"`;
      expect((await box.exec(long)).stdout).toBe("200000");
      expect((await box.exec("cat <<'END'\none 'two' \"three\" $HOME\nEND\necho \\\\")).stdout).toBe(
        `one 'two' "three" $HOME\n\\\n`,
      );
    },
    shell,
  );

  const processes = { needs: ["shell", "processes"] } as const;
  check(
    "a command that a signal ends has 128 and the signal's number as exit code",
    async ({ box, expect }) => {
      expect((await box.exec("kill -TERM $$")).exitCode).toBe(143);
      expect((await box.exec("kill -KILL $$")).exitCode).toBe(137);
      expect((await box.exec("sh -c 'kill -INT $$'; exit $?")).exitCode).toBe(130);
    },
    processes,
  );

  check(
    "what a command leaves in the background does not hold it up, and lives on",
    async (rig) => {
      const { box, expect } = rig;
      const started = await box.exec("echo now; (sleep 0.3; echo later; echo written > after.txt) &", {
        timeoutMs: 10_000,
      });
      expect([started.timedOut, started.stdout]).toEqual([false, "now\n"]);
      await eventually("the background wrote", async () => (await box.list(".")).includes("after.txt"));
    },
    processes,
  );

  check(
    "at a time limit everything a command started is ended",
    async (rig) => {
      const { box, run } = rig;
      const tree = "(sleep 61.5 & setsid sleep 61.5 & sh -c 'sleep 61.5 & sleep 61.5'; :) & sleep 61.5";
      rig.expect((await box.exec(tree, { timeoutMs: 500 })).timedOut).toBe(true);
      const count = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o 'sleep 61[.]5' | wc -l";
      await eventually("no sleep is left", async () => Number(await printed(rig, count)) === 0);
      rig.expect(await printed(rig, run.print("on"))).toBe("on");
    },
    processes,
  );
}

function result(change: object): object {
  return { exitCode: 0, stdout: "", stderr: "", droppedBytes: 0, timedOut: false, ...change };
}
