// The first half runs against a stand-in for the client, which shows what we say to it; the second against the real client, offline, where it is installed.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { resumeRun } from "../run-directory.ts";
import { fakeWandb, withoutPython } from "./testing/fake-wandb.ts";
import { eventually, follow, newRun } from "./testing/followed-run.ts";
import { temporaryFolder } from "../testing/temporary.ts";

const config = { wandb: { project: "tiny", group: "night", tags: ["a"] } };
const noPython = withoutPython("import json");
const noWandb = withoutPython("import wandb; wandb.Settings");

describe("what the client is told", () => {
  beforeEach(({ skip }) => skip(noPython !== undefined, noPython));

  test("the run with its settings, every row against our steps, and how it ended", async () => {
    const wandb = await fakeWandb(await temporaryFolder());
    await using run = await newRun();
    const followed = await follow(run.directory, config, { env: wandb.env });
    await run.append("updates", { step: 1, "reward/mean": 0.25, "update/loss": Number.NaN });
    await run.append("evals", { step: 1, env: "words", "reward/mean": 0.5, n: 20 });
    await run.append("events", { type: "run-end", atMs: 1, detail: { why: "done" } });
    await followed[Symbol.asyncDispose]();
    const calls = await wandb.calls();
    expect(calls).toEqual([
      {
        call: "init",
        key: "key-of-wandb",
        other: null,
        options: {
          project: "tiny",
          name: "first",
          group: "night",
          tags: ["a"],
          entity: null,
          id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
          resume: "allow",
          mode: "online",
          dir: run.directory,
          config: { model: "hone/tiny", seed: 7, "optimizer.learning_rate": 0.001, "env.0.id": "words" },
          settings: { console: "off", silent: true, init_timeout: 30 },
        },
      },
      { call: "define_metric", name: "step", step_metric: null },
      { call: "define_metric", name: "*", step_metric: "step" },
      { call: "log", step: 0, values: { step: "1", "reward/mean": "0.25", "update/loss": "nan" } },
      { call: "log", step: 1, values: { step: "1", "eval/words/reward/mean": "0.5", "eval/words/n": "20" } },
      { call: "finish", exit_code: 0 },
    ]);
    expect(followed.notices).toEqual([{ sink: "wandb", level: "info", message: "https://wandb.invalid/run" }]);
  });

  test("a resumed run has the same id, its numbers go on, and superseded steps are sent again", async () => {
    const wandb = await fakeWandb(await temporaryFolder());
    const first = await newRun();
    const before = await follow(first.directory, config, { env: wandb.env });
    for (const step of [1, 2]) await first.append("updates", { step, x: step });
    await before[Symbol.asyncDispose]();
    await first.close();
    await using second = await resumeRun(first.directory);
    const after = await follow(first.directory, config, { env: wandb.env });
    for (const step of [2, 3]) await second.append("updates", { step, x: step });
    await after[Symbol.asyncDispose]();
    const calls = await wandb.calls();
    const ids = calls.flatMap(({ options }) => (options === undefined ? [] : [(options as { id: string }).id]));
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
    const rows = calls.filter(({ call }) => call === "log");
    expect(rows.map(({ step, values }) => [step, (values as { x: string }).x])).toEqual([
      [0, "1"],
      [1, "2"],
      [2, "2"],
      [3, "3"],
    ]);
  });

  test("a client that dies or cannot connect is started again, told once each, without its key", async () => {
    const wandb = await fakeWandb(await temporaryFolder());
    await using run = await newRun();
    await writeFile(wandb.away, "");
    const followed = await follow(run.directory, config, { env: wandb.env });
    await eventually(() => followed.notices.length === 3);
    await writeFile(wandb.die, "");
    await run.append("updates", { step: 1, x: 1 });
    await eventually(() => followed.notices.length === 5);
    await followed[Symbol.asyncDispose]();
    expect(followed.messages()).toEqual([
      "W&B: nobody answers. It is tried again; the run goes on.",
      "https://wandb.invalid/run",
      "delivers again.",
      `${wandb.env["HONE_PYTHON"]} ended with code 9: something is wrong with ***. It is tried again; the run goes on.`,
      "delivers again.",
    ]);
    expect((await wandb.calls()).filter(({ call }) => call === "log")).toHaveLength(1);
    expect(await readFile(join(run.directory, "sinks.json"), "utf8")).not.toContain("key-of");
  });

  test("a Python without the client, and no Python at all, are one notice that says what to do", async () => {
    const folder = await temporaryFolder();
    const wandb = await fakeWandb(folder);
    await rm(join(folder, "modules", "wandb.py"));
    await writeFile(join(folder, "modules", "wandb.py"), "raise ModuleNotFoundError('no', name='wandb')");
    await using run = await newRun();
    await run.append("updates", { step: 1, x: 1 });
    const missing = await follow(run.directory, config, { env: wandb.env });
    await missing[Symbol.asyncDispose]();
    expect(missing.notices).toMatchObject([
      { level: "warning", hint: expect.stringContaining("-m pip install wandb") },
    ]);
    const nothing = await follow(run.directory, config, { env: { HONE_PYTHON: join(folder, "no-such-python") } });
    await nothing[Symbol.asyncDispose]();
    expect(nothing.notices).toMatchObject([{ level: "warning", hint: expect.stringContaining("HONE_PYTHON") }]);
  });

  test("one that hangs costs the deadline and is killed", async () => {
    const folder = await temporaryFolder();
    const wandb = await fakeWandb(folder);
    await writeFile(
      join(folder, "modules", "wandb.py"),
      "import time, os\nopen(os.environ['WANDB_FAKE_LOG'], 'w').write(str(os.getpid()))\ntime.sleep(600)",
    );
    await using run = await newRun();
    await run.append("updates", { step: 1, x: 1 });
    const followed = await follow(run.directory, config, { env: wandb.env, deadlineMs: 200 });
    const log = wandb.env["WANDB_FAKE_LOG"] ?? "";
    await eventually(async () => (await readFile(log, "utf8").catch(() => "")) !== "");
    await followed[Symbol.asyncDispose]();
    expect(followed.messages()).toEqual(["not delivered: 1 update."]);
    const pid = Number(await readFile(log, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("the real client, offline", () => {
  beforeEach(({ skip }) => skip(noWandb !== undefined, noWandb));

  test("a run and its continuation lie in the run's folder, under one id", async () => {
    const first = await newRun();
    const offline = { wandb: { project: "tiny", mode: "offline" } };
    const options = { env: { ...process.env, WANDB_API_KEY: "0123456789abcdef0123456789abcdef01234567" } };
    const before = await follow(first.directory, offline, options);
    await first.append("updates", { step: 1, "reward/mean": 0.123456789 });
    await first.append("evals", { step: 1, env: "words", "reward/mean": 0.5 });
    await before[Symbol.asyncDispose]();
    await first.close();
    await using second = await resumeRun(first.directory);
    const after = await follow(first.directory, offline, options);
    await second.append("updates", { step: 1, "reward/mean": 0.987654321 });
    await after[Symbol.asyncDispose]();
    const state = JSON.parse(await readFile(join(first.directory, "sinks.json"), "utf8")) as {
      wandb: { id: string };
    };
    const files = await readdir(join(first.directory, "wandb"), { recursive: true });
    const records = files
      .filter((name) => /^offline-run-.*\.wandb$/.test(name) && name.includes(state.wandb.id))
      .sort();
    const contents = await Promise.all(records.map((name) => readFile(join(first.directory, "wandb", name), "latin1")));
    expect(contents).toHaveLength(2);
    expect(contents[0]).toContain("0.123456789");
    expect(contents[0]).toContain("eval/words/reward/mean");
    expect(contents[1]).toContain("0.987654321");
    expect(contents.join()).not.toContain("0123456789abcdef0123456789abcdef01234567");
    for (const { notices } of [before, after]) expect(notices.map(({ level }) => level)).toEqual(["info"]);
  });
});
