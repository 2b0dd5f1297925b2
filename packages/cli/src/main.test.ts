import { expect, test } from "vitest";
import { workspace } from "./testing/workspace.ts";

test("--version prints the version of the package", async () => {
  const { hone } = await workspace();
  expect(await hone(["--version"])).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
});

test.each([[["--help"]], [[]]])("hone %j lists every command with what it does", async (argv) => {
  const { hone } = await workspace();
  const { code, stdout } = await hone(argv);
  expect(code).toBe(0);
  const commands = [...stdout.matchAll(/^ {2}(hone .*?) {2}/gm)].map(([, usage]) => usage?.replace(/ <.*/, ""));
  expect(commands).toEqual([
    "hone train",
    "hone sft",
    "hone eval",
    "hone eval compare",
    "hone eval rescore",
    "hone env init",
    "hone env list",
    "hone env info",
    "hone env test",
    "hone runs list",
    "hone runs show",
    "hone runs stop",
    "hone runs export",
    "hone runs replay",
    "hone config convert",
    "hone web",
    "hone doctor",
  ]);
});

const commands = ["train", "eval", "eval compare", "eval rescore", "env init", "env list", "env info", "env test"];
const others = ["runs list", "runs show", "runs stop", "runs export", "runs replay", "web", "doctor"];

test.each([...commands, ...others])(
  "hone %s --help has an example of it and says that --json exists",
  async (command) => {
    const { hone } = await workspace();
    const { code, stdout, stderr } = await hone([...command.split(" "), "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Examples?\\n {2}hone ${command}`, "m"));
    expect(stdout).toContain("--json");
  },
);

test("the help of eval says which models need no network", async () => {
  const { hone } = await workspace();
  const { stdout } = await hone(["eval", "--help"]);
  expect(stdout).toMatch(/scripted +right two times in three; offline, no network/);
});

test.each([
  ["trian", "There is no command `hone trian`. Did you mean `train`? `hone --help` lists the commands."],
  ["frobnicate", "There is no command `hone frobnicate`. `hone --help` lists the commands."],
  ["evl x", "There is no command `hone evl`. Did you mean `eval`? `hone --help` lists the commands."],
  ["env tset x", "There is no command `hone env tset`. Did you mean `test`? `hone env --help` lists the commands."],
  [
    "eval x --modle y",
    "There is no flag `--modle`. Did you mean `--model`? `hone eval --help` shows flags and examples.",
  ],
  [
    "eval x --max-token 3",
    "There is no flag `--max-token`. Did you mean `--max-tokens`? `hone eval --help` shows flags and examples.",
  ],
  [
    "eval x --rollouts-per-example 3",
    "There is no flag `--rollouts-per-example`. Here it is `--group-size`. `hone eval --help` shows flags and examples.",
  ],
  ["eval x -q", "There is no flag `-q`. `hone eval --help` shows flags and examples."],
  ["eval x --q=1", "There is no flag `-q`. `hone eval --help` shows flags and examples."],
  [
    "eval x -n four",
    '`--num-tasks` takes a whole number from 1, or all, not "four". `hone eval --help` shows flags and examples.',
  ],
  [
    "eval x -n 0",
    '`--num-tasks` takes a whole number from 1, or all, not "0". `hone eval --help` shows flags and examples.',
  ],
  [
    "web --port 70000",
    '`--port` takes a whole number from 0 to 65535, not "70000". `hone web --help` shows flags and examples.',
  ],
  [
    "eval x --temperature hot",
    '`--temperature` takes a number from 0, not "hot". `hone eval --help` shows flags and examples.',
  ],
  [
    "eval x --split tran",
    '`--split` takes train, eval or all, not "tran". Did you mean `train`? `hone eval --help` shows flags and examples.',
  ],
  [
    "eval x --args [1]",
    '`--args` takes a JSON object such as \'{"max_guesses": 4}\', not "[1]". `hone eval --help` shows flags and examples.',
  ],
  ["eval x --model", "`--model` needs a value. `hone eval --help` shows flags and examples."],
  ["eval x --model a --model b", "`--model` is given twice: a and b. `hone eval --help` shows flags and examples."],
  [
    "eval x y --model m",
    "`y` is one argument too many: `hone eval` takes 1. `hone eval --help` shows flags and examples.",
  ],
  ["eval --model m", "`hone eval` needs <env | file.toml>. `hone eval --help` shows flags and examples."],
  [
    "eval --resume x --model m",
    "`hone eval` needs <env | file.toml>. `--resume` took x as its folder: put `--resume` last. `hone eval --help` shows flags and examples.",
  ],
  ["env info", "`hone env info` needs <env>. `hone env info --help` shows flags and examples."],
])("hone %s is one clear line and exit code 2", async (line, message) => {
  const { hone } = await workspace();
  expect(await hone(line.split(" "))).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` });
});

test("with --json a mistake is JSON on stderr", async () => {
  const { hone } = await workspace();
  const { code, stdout, stderr } = await hone(["eval", "x", "--modle", "y", "--json"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: "usage",
      message: "There is no flag `--modle`. Did you mean `--model`?",
      hint: "`hone eval --help` shows flags and examples.",
    },
  });
});

test("colour is for terminals, and NO_COLOR refuses it", async () => {
  const { hone } = await workspace();
  const escape = "\u001B[";
  expect((await hone(["frobnicate"], { isTerminal: true })).stderr).toContain(escape);
  expect((await hone(["frobnicate"], { isTerminal: true, env: { NO_COLOR: "1" } })).stderr).not.toContain(escape);
  expect((await hone(["frobnicate"])).stderr).not.toContain(escape);
  expect((await hone(["--help"], { isTerminal: true })).stdout).toContain(escape);
});

test("an error nobody expected is exit code 1, with where it happened", async () => {
  const { hone, provide } = await workspace();
  await provide("no-info.mjs", { kind: "hone/environment" });
  const { code, stdout, stderr } = await hone(["env", "test", "./no-info.mjs"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^error: Something went wrong that should not: .*\n +at /);
});

test("an environment whose tasks cannot be read is exit code 1, with its own words", async () => {
  const { hone, provide } = await workspace();
  await provide("broken.mjs", {
    kind: "hone/environment",
    info: { name: "broken", tools: [], rewards: {}, hasEvalTasks: false },
    tasks: () => {
      throw new TypeError("tasks are broken");
    },
  });
  const { code, stderr } = await hone(["eval", "./broken.mjs", "--model", "scripted"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "error: tasks are broken.\n" });
});
