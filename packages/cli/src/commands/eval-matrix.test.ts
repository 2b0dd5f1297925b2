import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { echo } from "../testing/environments.ts";
import { provideEnvironment, type Workspace, workspace } from "../testing/workspace.ts";

async function withTwo(): Promise<Workspace> {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  await provideEnvironment(made, "other", echo("other"));
  return made;
}
const matrix = `
models = ["scripted:gold", "scripted:empty"]
num_tasks = 4
[[env]]
id = "echo"
[[env]]
id = "other"
num_tasks = 6
`;

test("a file with several environments and models becomes a table, and a folder each", async () => {
  const { hone, folder, write } = await withTwo();
  await write("eval.toml", matrix);
  const { code, stdout } = await hone(["eval", "eval.toml"]);
  expect(code).toBe(0);
  expect(
    stdout
      .split("\n")
      .slice(0, 5)
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ["2 environments on 2 models, results in evals"],
    [""],
    ["scripted:gold", "scripted:empty"],
    ["echo", "1.000 ± 0.000", "0.000 ± 0.000"],
    ["other", "1.000 ± 0.000", "0.000 ± 0.000"],
  ]);
  const names = (await readdir(join(folder, "evals"))).sort();
  expect(names.map((name) => name.replace(/--[^-]*$/, ""))).toEqual([
    "echo--scripted_empty",
    "echo--scripted_gold",
    "other--scripted_empty",
    "other--scripted_gold",
  ]);
  expect(new Set(names.map((name) => name.slice(-6))).size).toBe(1);
});

test("flags hold for the whole file, over what it says", async () => {
  const { hone, write } = await withTwo();
  await write("eval.toml", matrix);
  const { code, stdout } = await hone([
    "eval",
    "eval.toml",
    "-m",
    "scripted",
    "-n2",
    "-r3",
    "--output",
    "out",
    "--json",
  ]);
  expect(code).toBe(0);
  const { cells } = JSON.parse(stdout) as { cells: { env: string; model: string; evaluation: object }[] };
  expect(cells.map(({ env, model }) => [env, model])).toEqual([
    ["echo", "scripted"],
    ["other", "scripted"],
  ]);
  for (const { evaluation } of cells) expect(evaluation).toMatchObject({ tasks: 2, rollouts: 6 });
});

test("a matrix that was stopped goes on with what is left of it", async () => {
  const made = await withTwo();
  await made.write("eval.toml", matrix);
  let asked = 0;
  let interrupt: (() => void) | undefined;
  await made.provide("script.mjs", () => {
    // In the second cell: the first is finished.
    if (++asked === 6) interrupt?.();
    return "word";
  });
  const argv = ["eval", "eval.toml", "-m", "scripted:./script.mjs", "--concurrency", "1"];
  const first = await made.hone(argv, { onStart: (stop) => (interrupt = stop) });
  expect(first.code).toBe(130);
  expect(first.stdout).toContain("interrupted");
  expect(first.stderr).toContain(`Go on with:\n  hone ${argv.join(" ")} --resume\n`);
  const second = await made.hone([...argv, "--resume"]);
  expect(second.code).toBe(0);
  // Ten in all, and one that was under way when it was stopped.
  expect(asked).toBe(11);
  expect(await readdir(join(made.folder, "evals"))).toHaveLength(2);
});

test.each([
  [
    "a key that nobody knows",
    'model = "scripted"\nnum_taks = 4\n[[env]]\nid = "echo"\n',
    "error: eval.toml:2:1 Unknown key `num_taks`. Did you mean `num_tasks`?\n  2 | num_taks = 4\n    | ^\n",
  ],
  [
    "a table that is not closed",
    'model = "scripted"\n[[env]\nid = "echo"\n',
    "error: eval.toml:2:7 the table name is not closed with `]`\n  2 | [[env]\n    |       ^\n",
  ],
  [
    "a value of the wrong type",
    'model = "scripted"\nnum_tasks = "four"\n[[env]]\nid = "echo"\n',
    'error: eval.toml:2:13 num_tasks: expected an integer, found the string "four"\n  2 | num_tasks = "four"\n    |             ^\n',
  ],
  [
    "an argument that the environment does not take",
    'model = "scripted"\n[[env]]\nid = "echo"\nargs = { max_word = 2 }\n',
    "error: eval.toml:4:10 env.0.args: Unknown key `max_word`. Did you mean `max_words`?\n  4 | args = { max_word = 2 }\n    |          ^\n",
  ],
])("%s is shown at its place", async (_what, text, message) => {
  const { hone, write } = await withTwo();
  await write("eval.toml", text);
  expect(await hone(["eval", "eval.toml"])).toEqual({ code: 2, stdout: "", stderr: message });
});

test("an unknown environment of a file stops everything before it begins", async () => {
  const { hone, write, folder } = await withTwo();
  await write("eval.toml", 'model = "scripted"\n[[env]]\nid = "echo"\n[[env]]\nid = "othr"\n');
  const { code, stderr } = await hone(["eval", "eval.toml"]);
  expect(code).toBe(2);
  expect(stderr).toBe('error: There is no environment `othr`. Did you mean `other`? Try: id = "other" in eval.toml\n');
  expect(await readdir(folder)).not.toContain("evals");
});

test("--arg is for one environment", async () => {
  const { hone, write } = await withTwo();
  await write("eval.toml", matrix);
  const { code, stderr } = await hone(["eval", "eval.toml", "--arg", "max_words=2"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--set env.0.args.name=value");
  const set = await hone(["eval", "eval.toml", "--set", "env.0.args.max_words=2", "--dry-run"]);
  expect(set.stdout).toContain("max_words = 2");
});

test("compare and rescore work on what an evaluation left", async () => {
  const { hone } = await withTwo();
  await hone(["eval", "echo", "-m", "scripted:gold", "-n6", "-r2", "--output", "evals/gold"]);
  await hone(["eval", "echo", "-m", "scripted", "-n6", "-r2", "--output", "evals/mostly"]);
  const text = await hone(["eval", "compare", "mostly", "evals/gold"]);
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/^B {2}1\.000 {2}echo {2}scripted:gold {2}evals\/gold$/m);
  const compared = JSON.parse((await hone(["eval", "compare", "gold", "mostly", "--json"])).stdout) as object;
  expect(compared).toMatchObject({ tasks: 6, pairs: 12, a: { mean: 1 } });
  const rescored = await hone(["eval", "rescore", "evals/gold"]);
  expect(rescored.code).toBe(0);
  expect(rescored.stdout).toContain("12 rollouts scored again, 0 changed");
  const other = JSON.parse((await hone(["eval", "rescore", "gold", "--env", "other", "--json"])).stdout) as object;
  expect(other).toMatchObject({ changed: 0, after: { rollouts: 12 } });
  const missing = await hone(["eval", "compare", "gold", "mostl"]);
  expect(missing).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("`mostl` does not exist. Did you mean `evals/mostly`?") as string,
  });
});
