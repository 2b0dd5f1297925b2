// Nothing is left: no process, mount, folder or open file, after many sandboxes and after the host program was killed.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bubblewrap } from "./bubblewrap/bubblewrap.ts";
import { pool } from "./pool.ts";
import { reapSandboxes } from "./reaper.ts";
import { processesWith } from "./testing/hostile/host.ts";
import { eventually } from "./testing/rig.ts";

const skip = process.env["HONE_SKIP_BWRAP"];
const never = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal });
const packageFolder = join(dirname(fileURLToPath(import.meta.url)), "..");

let state = "";
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "hone-leaks-"));
  chmodSync(state, 0o711);
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const mounts = (): number => readFileSync("/proc/self/mounts", "utf8").split("\n").length;
const openFiles = (): number => readdirSync("/proc/self/fd").length;
const mark = (): string => `${300_000 + Math.floor(Math.random() * 100_000)}.125`;

interface HostProgram {
  /** In the command lines of what it starts. */
  readonly mark: string;
  readonly kill: (signal?: NodeJS.Signals, whom?: "group") => void;
  readonly ended: Promise<number | null>;
}

/** A program of its own, on the built package. Resolves when it says "ready". */
async function hostProgram(body: string): Promise<HostProgram> {
  const source = `import { bubblewrap, unsafeProcess } from "@hone/sandbox";
    const [stateFolder, mark] = process.argv.slice(1);
    const signal = new AbortController().signal;
    ${body}`;
  const own = mark();
  const program = spawn(process.execPath, ["--input-type=module", "-e", source, state, own], {
    cwd: packageFolder,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = new Promise<number | null>((resolve) => program.once("exit", (code) => resolve(code)));
  await new Promise<void>((resolve, reject) => {
    program.stdout.on("data", (chunk: Buffer) => chunk.toString().includes("ready") && resolve());
    void ended.then(() => reject(new Error("the program ended early")));
  });
  const { pid = 0 } = program;
  const kill: HostProgram["kill"] = (signal = "SIGKILL", whom) => process.kill(whom === "group" ? -pid : pid, signal);
  return { mark: own, kill, ended };
}

describe.skipIf(skip !== undefined)(`bubblewrap ${skip ?? "leaves nothing"}`, () => {
  const count = process.env["HONE_FULL"] === undefined ? 200 : 1000;
  test(`after ${count} sandboxes`, async () => {
    const left = mark();
    const before = { mounts: mounts(), openFiles: openFiles() };
    const boxes = pool(bubblewrap({ stateFolder: state }), { maxOpen: 8, prewarm: { count: 4, spec: {} } });
    const use = async (index: number): Promise<void> => {
      const { sandbox, ...lease } = await boxes.open({ files: { "a.txt": "x" } }, never());
      const { exitCode } = await sandbox.exec(`setsid sleep ${left} >/dev/null 2>&1 & cat a.txt`);
      expect(exitCode).toBe(0);
      if (index % 10 === 0) await sandbox.start(`sleep ${left}`);
      if (index % 10 === 1) await sandbox.exec("sleep 9", { timeoutMs: 50 });
      // Some are left to the pool.
      if (index < count - 5) await lease[Symbol.asyncDispose]();
    };
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count - 5) await use(next++);
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    await Promise.all(Array.from({ length: 5 }, () => use(count - 1)));
    await boxes[Symbol.asyncDispose]();

    expect(processesWith(left)).toBe(0);
    expect(processesWith(state)).toBe(0);
    expect(readdirSync(state)).toEqual([]);
    expect(mounts()).toBe(before.mounts);
    await eventually("files are closed", () => openFiles() <= before.openFiles + 4);
  }, 300_000);

  test("after the host program was killed with sandboxes open", async () => {
    const before = mounts();
    const program = await hostProgram(`
      const provider = bubblewrap({ stateFolder });
      for (let index = 0; index < 3; index++) {
        const { sandbox } = await provider.open({}, { signal });
        await sandbox.exec("setsid sleep " + mark + " >/dev/null 2>&1 &");
        await sandbox.start("trap '' TERM HUP; while :; do sleep " + mark + "; done");
        void sandbox.exec("sleep " + mark);
      }
      setTimeout(() => console.log("ready"), 200);
    `);
    // The mark is in the command line of the program itself, too.
    expect(processesWith(program.mark)).toBeGreaterThanOrEqual(10);
    program.kill();
    await program.ended;
    // At once, by --die-with-parent; not only when the next program starts.
    await eventually("every process is gone", () => processesWith(program.mark) === 0 && processesWith(state) === 0);
    expect(readdirSync(state).length).toBe(3);
    const next = await bubblewrap({ stateFolder: state }).open({}, never());
    expect(readdirSync(state).length).toBe(1);
    await next[Symbol.asyncDispose]();
    expect([readdirSync(state), mounts()]).toEqual([[], before]);
  });

  test("after it was killed while opening and closing", async () => {
    for (let round = 0; round < 6; round++) {
      const program = await hostProgram(`
        const provider = bubblewrap({ stateFolder });
        console.log("ready");
        const lane = async () => {
          for (;;) await (await provider.open({ files: { a: "b" } }, { signal }))[Symbol.asyncDispose]();
        };
        await Promise.all([lane(), lane(), lane()]);
      `);
      await new Promise((resolve) => setTimeout(resolve, 100 + 37 * round));
      program.kill();
      await program.ended;
      await reapSandboxes(state);
      expect(readdirSync(state)).toEqual([]);
      // What was killed needs a moment to be gone.
      await eventually("every process is gone", () => processesWith(state) === 0);
    }
  });

  test("Ctrl-C in a terminal is for the host program, not for its sandboxes", async () => {
    const program = await hostProgram(`
      const { sandbox } = await bubblewrap({ stateFolder }).open({}, { signal });
      process.on("SIGINT", async () => process.exit((await sandbox.exec("exit 3")).exitCode));
      setInterval(() => {}, 1000);
      console.log("ready");
    `);
    program.kill("SIGINT", "group");
    expect(await program.ended).toBe(3);
  });

  test("after it ended without closing anything", async () => {
    const program = await hostProgram(`
      await bubblewrap({ stateFolder }).open({}, { signal });
      console.log("ready");
    `);
    // An open sandbox alone does not keep a program alive.
    await program.ended;
    await eventually("every process is gone", () => processesWith(state) === 0);
    expect(await reapSandboxes(state)).toBe(1);
  });
});

test("an unconfined sandbox's programs are killed by the next program that starts", async () => {
  const program = await hostProgram(`
    const provider = unsafeProcess({ iKnowThisRunsOnMyMachine: true, stateFolder });
    const { sandbox } = await provider.open({}, { signal });
    await sandbox.start("sleep " + mark);
    await sandbox.exec("setsid sleep " + mark + " >/dev/null 2>&1 &");
    console.log("ready");
  `);
  program.kill();
  await program.ended;
  expect(processesWith(program.mark)).toBeGreaterThanOrEqual(2);
  expect(await reapSandboxes(state)).toBe(1);
  await eventually("every process is gone", () => processesWith(program.mark) === 0);
  expect(readdirSync(state)).toEqual([]);
});
