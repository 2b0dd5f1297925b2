import { hostname } from "node:os";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { toyConfig, toyEngine, withToy } from "../testing/toy-model.ts";
import { train } from "../training/train.ts";

test.each([
  [[], "What is to be trained? Name a run.toml or an environment."],
  [["lower-case"], "Which model? Name one with --model."],
  [["lower-case", "other", "--model", "./toy"], "Several environments are trained through a file."],
  [["lower-case", "run.toml", "--model", "./toy"], "`lower-case` is not a TOML file"],
  [["lowr-case", "--model", "./toy"], "Did you mean `lower-case`? Try: hone train lower-case --model ./toy"],
  [["lower-case", "--model", "./toi"], "There is no folder `./toi`."],
  [["lower-case", "--model", "environments"], "`environments` is a folder, but no model: it has no config.json."],
  [["lower-case", "--model", "hone/tyni"], "There is no model `hone/tyni`. Did you mean `hone/tiny`?"],
  [["lower-case", "--model", "Qwen/Qwen3-0.6B"], "hf download Qwen/Qwen3-0.6B --local-dir Qwen3-0.6B"],
  [["lower-case", "--model", "./toy", "--set", "max_step=3"], "Did you mean `max_steps`?"],
  [["lower-case", "--model", "./toy", "--set", "engine=torch"], "The engine `torch` is not part of this version."],
  [["lower-case", "--model", "./toy", "--run", "../x"], '"../x" cannot be the name of a run'],
  [["--resume", "nothing"], "There is no run `nothing`."],
  [["nowhere.toml"], "nowhere.toml"],
  [
    ["lower-case", "--max-steps", "5"],
    "There is no flag `--max-steps`. A setting is given as `--set max_steps=VALUE`.",
  ],
])("hone train %j says what is wrong", async (argv, said) => {
  const { hone } = await withToy();
  const { code, stderr, stdout } = await hone(["train", ...argv, "--no-web"]);
  expect(stderr).toContain(said);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("a name that is taken, a run that is running and another configuration are told apart", async () => {
  const made = await withToy();
  const { directory } = await train({ ...toyConfig, maxSteps: 1 }, { cwd: made.folder, engine: toyEngine });
  const hone = (...argv: string[]) => made.hone(["train", ...argv, "--no-web"]);
  const taken = await hone("lower-case", "--model", "./toy", "--run", "lower-case-toy-1");
  expect(taken.stderr).toContain("There is a run `lower-case-toy-1` already, in runs/lower-case-toy-1.");
  expect(taken.stderr).toContain("hone train --resume lower-case-toy-1");
  const other = await hone("--resume", "lower-case-toy-1", "--set", "group_size=16");
  expect(other.stderr).toContain("cannot go on with another configuration: group_size was 8 and is now 16.");
  const both = await hone("--resume", "lower-case-toy-1", "--run", "new");
  expect(both.stderr).toContain("`--run` names a new run and `--resume` goes on with an old one.");
  const lock = { pid: process.pid, host: hostname(), start: null, token: "x", atMs: 1 };
  await writeFile(join(directory, "lock"), JSON.stringify(lock));
  const running = await hone("--resume", "lower-case-toy-1");
  expect(running.stderr).toContain(`\`lower-case-toy-1\` is running already: process ${process.pid} writes to it.`);
  expect([taken, other, both, running].map(({ code }) => code)).toEqual([2, 2, 2, 2]);
});

test("a run names itself, and the next one gets the next number", async () => {
  const { folder: cwd } = await withToy();
  const small = { ...toyConfig, maxSteps: 1, eval: false } as const;
  expect((await train(small, { cwd, engine: toyEngine })).name).toBe("lower-case-toy-1");
  expect((await train(small, { cwd, engine: toyEngine })).name).toBe("lower-case-toy-2");
});
