import { expect, test } from "vitest";
import type { RunDetail } from "./api-types.ts";
import { exportCommand, freshName, isRunName, quoted, resumeCommand, startCommand } from "./run-commands.ts";

const run = (change: Partial<RunDetail>): RunDetail =>
  ({ kind: "runs", name: "t-1", state: "stopped", isSft: false, config: "", ...change }) as RunDetail;

test("what was stopped, failed or interrupted can go on, each kind with its own command", () => {
  expect(resumeCommand(run({}))).toBe("hone train --resume t-1");
  expect(resumeCommand(run({ isSft: true, state: "interrupted" }))).toBe("hone sft --resume t-1");
  expect(resumeCommand(run({ state: "running" }))).toBeUndefined();
  expect(resumeCommand(run({ state: "finished" }))).toBeUndefined();
  const config =
    'env = "words"\nmodel = "a b"\nnum_tasks = 6\ngroup_size = 4\n\n[sampling]\n[config]\nid = "./words"\n';
  expect(resumeCommand(run({ kind: "evals", name: "words--a", config }))).toBe(
    "hone eval ./words --model 'a b' -n 6 -r 4 --resume evals/words--a",
  );
});

test("a checkpoint is taken along as an adapter or merged, each in a folder of its own", () => {
  expect(exportCommand("t-1", 20)).toBe("hone runs export t-1 --step 20 --output t-1-20");
  expect(exportCommand("t-1", 20, { isMerged: true })).toBe(
    "hone runs export t-1 --step 20 --merged --output t-1-20-merged",
  );
});

test("a changed run gets a name that none has, and its command", () => {
  expect(freshName("t1", ["t1", "t1-2"])).toBe("t1-3");
  expect(freshName("grpo-9", ["grpo-9"])).toBe("grpo-10");
  expect(startCommand(run({}), "t1-2.toml", "t1-2")).toBe("hone train t1-2.toml --run t1-2");
  expect(quoted("it's")).toBe(String.raw`'it'\''s'`);
  expect(["a", "a.b-c_1", "", "../x", "a/b", "a b", "-a", "a."].map(isRunName)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});
