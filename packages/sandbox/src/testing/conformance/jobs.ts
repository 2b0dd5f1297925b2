// Background programs: input and output as they come, signals, an end that is always told, and no quarrel with commands beside them.
import type { JobOutput, SandboxJob } from "@hone/core";
import { type Check, expectRefused, printed } from "../rig.ts";

export function jobChecks(check: Check): void {
  const jobs = { needs: ["jobs"] } as const;

  check(
    "a program reads lines and answers each as it comes",
    async ({ box, run, expect }) => {
      const job = await box.start(run.echoLines());
      const output = reader(job);
      await job.write("one\n");
      expect(await output.until(">one\n")).toBe(">one\n");
      await job.write("zwölf €\n");
      expect(await output.until(">zwölf €\n")).toBe(">zwölf €\n");
      await job.write("end\n");
      expect([await job.ended, await output.rest()]).toEqual([5, ""]);
    },
    jobs,
  );

  check(
    "commands run beside it, in the same files",
    async (rig) => {
      const { box, run, expect } = rig;
      const job = await box.start(run.echoLines());
      const output = reader(job);
      await job.write("a\n");
      await output.until(">a\n");
      await printed(rig, run.writeFile("beside.txt", "x"));
      expect((await box.exec(run.loop(), { timeoutMs: 300 })).timedOut).toBe(true);
      await job.write("still\n");
      expect(await output.until(">still\n")).toBe(">still\n");
      await job.write("end\n");
      expect(await job.ended).toBe(5);
    },
    jobs,
  );

  check(
    "variables and folder are given as for a command",
    async ({ box, run, expect }) => {
      await box.write("sub/f", "in sub");
      const inFolder = await box.start(run.printFile("f"), { cwd: "sub" });
      expect(await reader(inFolder).rest()).toBe("in sub");
      const withVariable = await box.start(run.printVariable("GIVEN"), { env: { GIVEN: "it" } });
      expect(await reader(withVariable).rest()).toBe("it");
      expect([await inFolder.ended, await withVariable.ended]).toEqual([0, 0]);
    },
    jobs,
  );

  check(
    "its two outputs are told apart, and all of both comes",
    async ({ box, run, expect }) => {
      const failing = await box.start(run.printError("oh"));
      const seen: JobOutput[] = [];
      for await (const output of failing.output) seen.push(output);
      expect(seen).toEqual([{ stream: "stderr", text: "oh" }]);
      const long = await box.start(run.fill(3_000_000));
      const text = await reader(long).rest(2);
      expect([text.length, await long.ended]).toEqual([3_000_000, 0]);
    },
    jobs,
  );

  check(
    "input for a program that has ended is refused",
    async (rig) => {
      const job = await rig.box.start(rig.run.exitWith(3));
      rig.expect(await job.ended).toBe(3);
      await expectRefused(rig, job.write("x"), "writing to an ended program");
      await job.signal("SIGKILL");
    },
    jobs,
  );

  check(
    "several run at the same time",
    async ({ box, run, expect }) => {
      const started = await Promise.all(Array.from({ length: 6 }, () => box.start(run.echoLines())));
      await Promise.all(started.map((job, index) => job.write(`${index}\n`)));
      const texts = await Promise.all(started.map((job, index) => reader(job).until(`>${index}\n`)));
      expect(texts).toEqual(started.map((_, index) => `>${index}\n`));
      await Promise.all(started.map((job) => job.write("end\n")));
      expect(await Promise.all(started.map((job) => job.ended))).toEqual(started.map(() => 5));
    },
    jobs,
  );

  check(
    "it ends with the sandbox",
    async ({ box, lease, run, expect }) => {
      const job = await box.start(run.echoLines());
      const rest = reader(job).rest();
      await lease[Symbol.asyncDispose]();
      expect(await job.ended).toBeGreaterThan(0);
      expect(await rest).toBe("");
    },
    jobs,
  );

  const signals = { needs: ["jobs", "processes", "shell"] } as const;
  check(
    "signals reach it",
    async ({ box, expect }) => {
      for (const [name, code] of [
        ["SIGINT", 130],
        ["SIGTERM", 143],
        ["SIGKILL", 137],
      ] as const) {
        const job = await box.start("echo up; exec sleep 60");
        await reader(job).until("up\n");
        await job.signal(name);
        expect(await job.ended).toBe(code);
      }
      const deaf = await box.start("trap 'echo caught' INT; echo up; while :; do sleep 0.02; done");
      const output = reader(deaf);
      await output.until("up\n");
      await deaf.signal("SIGINT");
      expect(await output.until("caught\n")).toBe("caught\n");
      await deaf.signal("SIGKILL");
      expect(await deaf.ended).toBe(137);
    },
    signals,
  );

  check(
    "a server in the background answers commands",
    async (rig) => {
      const { box, expect } = rig;
      if ((await box.exec("command -v python3")).exitCode !== 0) return;
      await box.write("page.txt", "served");
      const job = await box.start("python3 -u -m http.server 8123 --bind 127.0.0.1");
      await reader(job).until("Serving");
      const fetch =
        "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8123/page.txt').read().decode())";
      expect(await printed(rig, `python3 -c "${fetch}"`)).toBe("served\n");
      await job.signal("SIGKILL");
      await job.ended;
    },
    signals,
  );
}

interface Reader {
  /** All that came since the last question, up to and including the text. */
  until(text: string): Promise<string>;
  /** To the end; slowly, with a pause of so many milliseconds after each piece. */
  rest(pauseMs?: number): Promise<string>;
}

function reader(job: SandboxJob): Reader {
  const iterator = job.output[Symbol.asyncIterator]();
  let held = "";
  const more = async (): Promise<boolean> => {
    const next = await iterator.next();
    if (next.done === true) return false;
    held += next.value.text;
    return true;
  };
  const take = (length: number): string => {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  };
  return {
    async until(text) {
      while (!held.includes(text)) {
        if (!(await more())) throw new Error(`the program ended without ${JSON.stringify(text)}: ${held}`);
      }
      return take(held.indexOf(text) + text.length);
    },
    async rest(pauseMs = 0) {
      while (await more()) if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      return take(held.length);
    },
  };
}
