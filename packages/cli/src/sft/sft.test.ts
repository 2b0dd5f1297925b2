import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openRun } from "@hone/store";
import type { SftEvent } from "@hone/train";
import { describe, expect, test } from "vitest";
import { styleFor } from "../screen/style.ts";
import { toyEngine, withToy } from "../testing/toy-model.ts";
import type { Workspace } from "../testing/workspace.ts";
import { dryRunSft, dryRunSftText } from "./dry-run-sft.ts";
import { readSftRequest, type SftFlags } from "./read-sft.ts";
import { runSft, type RunSftOptions } from "./run-sft.ts";
import { sftOutcomeText } from "./sft-outcome.ts";
import { SftView } from "./sft-view.ts";

const row = (index: number): string => JSON.stringify({ prompt: `say ${index}`, completion: `aa ${index}` });
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `${row(index)}\n`).join("");
const toml = `model = "./toy"
max_steps = 6
batch_size = 8
lora = false
checkpoint.interval = 2
[[data]]
path = "data/*.jsonl"
[eval]
fraction = 0.2
interval = 3
[optimizer]
learning_rate = 0.3
`;

async function place(): Promise<Workspace> {
  const made = await withToy();
  await made.write("run.toml", toml);
  await made.write("data/words.jsonl", lines(40));
  return made;
}

async function go(cwd: string, files: readonly string[], flags: SftFlags, more: Partial<RunSftOptions> = {}) {
  const request = await readSftRequest(files, flags, cwd);
  const signal = new AbortController().signal;
  return runSft({ ...request, env: {}, engine: toyEngine, onNotice: () => undefined, signal, ...more });
}

async function updates(directory: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const { value } of (await openRun(directory)).read("updates")) {
    rows.push(Object.fromEntries(Object.entries(value).filter(([name]) => !/second/.test(name))));
  }
  return rows;
}

test("a file and its data become a model that knows them better", async () => {
  const { folder: cwd } = await place();
  const outcome = await go(cwd, ["run.toml"], {});
  expect(outcome).toMatchObject({
    name: "sft-toy-1",
    step: 6,
    why: "done",
    exported: join(cwd, "runs/sft-toy-1/model"),
  });
  expect(outcome.loss?.after).toBeLessThan(outcome.loss?.before ?? 0);
  expect(existsSync(join(outcome.exported ?? "", "policy.toy"))).toBe(true);
  const text = sftOutcomeText(outcome, { cwd, style: styleFor({ write: () => undefined, isTerminal: false }, {}) });
  expect(text).toMatch(/^Done after 6 steps\.\nheld-out loss: \d\.\d{3} before, \d\.\d{3} after\n/);
  expect(text).toContain("model     runs/sft-toy-1/model  (transformers)");
});

test("a run that was stopped goes on to the same end", async () => {
  const { folder: cwd } = await place();
  const whole = await go(cwd, ["run.toml"], { run: "whole" });
  const controller = new AbortController();
  const onEvent = (event: SftEvent): void => {
    if (event.type === "update-end" && event.row.step === 3) controller.abort();
  };
  const first = await go(cwd, ["run.toml"], { run: "parts" }, { onEvent, signal: controller.signal });
  expect(first).toMatchObject({ step: 3, why: "stopped" });
  const second = await go(cwd, [], { resume: "parts" });
  expect(second).toMatchObject({ step: 6, why: "done", loss: whole.loss });
  expect(await updates(second.directory)).toEqual(await updates(whole.directory));
});

test("a run that is over goes on when it is given more steps, and with nothing else changed", async () => {
  const { folder: cwd } = await place();
  await go(cwd, ["run.toml"], { run: "long" });
  expect(await go(cwd, [], { resume: "long", set: ["max_steps=8"] })).toMatchObject({ step: 8, why: "done" });
  expect(await readFile(join(cwd, "runs/long/run.toml"), "utf8")).toContain("max_steps = 8");
  await expect(go(cwd, [], { resume: "long", set: ["batch_size=9"] })).rejects.toThrow("another `batch_size`");
});

test("rollouts of a run are imitated by its name", async () => {
  const { folder: cwd, write } = await place();
  await go(cwd, ["run.toml"], { run: "first" });
  await write("imitate.toml", toml.replace('path = "data/*.jsonl"', 'run = "first"\nmin_reward = 1'));
  await expect(go(cwd, ["imitate.toml"], {})).rejects.toThrow("Of the 0 rollouts in first none is left");
  await write("unknown.toml", toml.replace('path = "data/*.jsonl"', 'run = "frist"'));
  await expect(go(cwd, ["unknown.toml"], {})).rejects.toThrow("Did you mean `first`?");
});

describe("--dry-run", () => {
  test("shows the data, the mask of the first conversation and a file that runs, and begins no run", async () => {
    const { folder: cwd, write } = await place();
    const request = await readSftRequest(["run.toml"], {}, cwd);
    const signal = new AbortController().signal;
    const dryRun = await dryRunSft({ ...request, engine: toyEngine, onNotice: () => undefined, signal });
    const text = dryRunSftText(dryRun, request);
    expect(text).toMatch(/^# data: \d+ conversations, \d+ more held out\n# the first \d+: \d+ tokens on average/);
    expect(text).toMatch(/⟦aa \d+<\|im_end\|>⟧/);
    expect(existsSync(join(cwd, "runs"))).toBe(false);
    await write("again.toml", text);
    expect((await readSftRequest(["again.toml"], {}, cwd)).config).toEqual(request.config);
  });
});

describe("a mistake", () => {
  test("in the data is told with its line, and leaves no run behind", async () => {
    const { folder: cwd, write } = await place();
    await write("data/more.jsonl", `${lines(2)}{"messages": 3}\n`);
    await expect(go(cwd, ["run.toml"], { run: "x" })).rejects.toThrow("data/more.jsonl:3: messages");
    expect(existsSync(join(cwd, "runs/x"))).toBe(false);
  });

  test("on the command line says what to type", async () => {
    const { hone, write } = await place();
    expect(await hone(["sft"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name a run.toml") as string,
    });
    await write("both.toml", `epochs = 1\n${toml}`);
    const both = await hone(["sft", "both.toml"]);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("a run has max_steps or epochs, and not both");
    expect(both.stderr).toContain("both.toml:1:");
    const resume = await hone(["sft", "--resume", "nothing"]);
    expect(resume.stderr).toContain("There is no run `nothing`");
    const help = await hone(["sft", "--help"]);
    expect(help.stdout).toContain("hone sft --resume first");
  });

  test("a name that is taken, and a run of another kind", async () => {
    const { folder: cwd, write } = await place();
    await go(cwd, ["run.toml"], { run: "taken" });
    await expect(readSftRequest(["run.toml"], { run: "taken" }, cwd)).rejects.toThrow("There is a run `taken` already");
    await write("runs/other/run.toml", 'model = "m"\n[[env]]\nid = "e"\n');
    await expect(readSftRequest([], { resume: "other" }, cwd)).rejects.toThrow("is a run of hone train");
  });
});

test("progress is a line with step, losses, speed and time left, and a line for every measurement", () => {
  const written: string[] = [];
  let nowMs = 0;
  const view = new SftView({
    output: { write: (text) => void written.push(text), isTerminal: true, columns: 200 },
    now: () => nowMs,
  });
  view.show({ type: "run-start", step: 0, conversations: 1200, heldOut: 24 });
  view.show({ type: "eval-end", row: { step: 0, "loss/mean": 2.5, "loss/a": 2, "loss/b": 3 } });
  nowMs = 2000;
  view.show({ type: "update-end", row: { step: 1, "update/loss": 1.25, "sample/tokens": 4000 }, steps: 11 });
  view[Symbol.dispose]();
  const text = written.join("");
  expect(text).toContain("1,200 conversations to learn from, 24 held out\n");
  expect(text).toContain("step 0: held-out loss 2.500 (a 2.000, b 3.000)\n");
  expect(text).toContain("step 1/11  loss 1.250  held-out 2.500  2,000 tokens/s  20 s left");
});

test("a checkpoint is kept for as many as asked", async () => {
  const { folder: cwd } = await place();
  const outcome = await go(cwd, ["run.toml"], { set: ["checkpoint.keep=1"] });
  expect(await readdir(join(outcome.directory, "weights"))).toEqual(["000006"]);
});
