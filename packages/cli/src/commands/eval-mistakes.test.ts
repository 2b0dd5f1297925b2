import { readdir } from "node:fs/promises";
import { defineEnvironment, endless } from "@hone/env";
import { expect, test } from "vitest";
import { withEcho } from "../testing/environments.ts";
import { provideEnvironment, workspace } from "../testing/workspace.ts";

test.each([
  [
    ["eval", "ehco", "-m", "scripted"],
    "There is no environment `ehco`. Did you mean `echo`? Try: hone eval echo -m scripted",
  ],
  [
    ["eval", "revers-text", "-m", "x y"],
    "There is no environment `revers-text`. Did you mean `reverse-text`? Try: hone eval reverse-text -m 'x y'",
  ],
  [
    ["eval", "environment", "-m", "x"],
    "There is no environment `environment`. `hone env list` shows what there is, `hone env init my-env` makes one.",
  ],
  [["eval", "echo"], "Which model? Name one with --model. Offline: hone eval echo --model scripted"],
  [
    ["eval", "echo", "-m", "gpt-5x"],
    "There is no model `gpt-5x`. Write provider/name (--model openai/gpt-5x), name its server (--base-url URL), or add it to endpoints.toml. `hone eval --help` lists more.",
  ],
  [
    ["eval", "echo", "-m", "scripted:golf"],
    "There is no model `scripted:golf`. Did you mean `scripted:gold`? `hone eval --help` lists where models come from.",
  ],
  [
    ["eval", "echo", "-m", "opnai/gpt-5"],
    "There is no model `opnai/gpt-5`. Did you mean `openai/gpt-5`? `hone eval --help` lists where models come from.",
  ],
  [
    ["eval", "echo", "-m", "openai/gpt-5"],
    "openai/gpt-5 needs the environment variable OPENAI_API_KEY, which is not set. Set it (export OPENAI_API_KEY=...), or put it into a file and add --env-file FILE.",
  ],
  [
    ["eval", "echo", "-m", "scripted", "--arg", "max_word=2"],
    "--arg max_word: Unknown key `max_word`. Did you mean `max_words`?",
  ],
  [
    ["eval", "echo", "-m", "scripted", "--arg", "max_words=two"],
    '--arg max_words: expected an integer, found the string "two".',
  ],
  [
    ["eval", "echo", "-m", "scripted", "--arg", "style=lout"],
    '--arg style: expected one of `plain`, `loud`, found the string "lout". Did you mean `loud`?',
  ],
  [
    ["eval", "echo", "-m", "scripted", "--arg", "loud"],
    "`--arg loud` is not key=value. Write it as --arg max_guesses=4.",
  ],
  [
    ["eval", "echo", "-m", "scripted", "--arg", "max_words=1", "--arg", "maxWords=2"],
    "`maxWords` and `max_words` are one argument, given twice. Keep `max_words`.",
  ],
  [
    ["eval", "echo", "-m", "scripted", "--set", "concurency=2"],
    "--set concurency: Unknown key `concurency`. Did you mean `concurrency`?",
  ],
  [
    ["eval", "echo", "-m", "scripted", "--harness", "chatt"],
    'There is no harness chatt. Built in: chat, single. One of your own is a file: harness = { id = "./my-harness.ts" }.',
  ],
  [["eval", "echo", "-m", "scripted", "--env-file", "keys.env"], "There is no environment file"],
  [
    ["eval", "echo", "-m", "scripted", "--resume", "evals/x"],
    "`evals/x` does not exist. There is no evaluation in evals/ yet: `hone eval <env> --model M` makes one.",
  ],
  [
    ["eval", "echo", "-m", "scripted", "--resume"],
    "There is nothing to resume: evals/ has no unfinished evaluation of echo on scripted with these settings. Leave --resume out to start one, or name its folder: --resume evals/...",
  ],
  [["eval", "nothing.toml"], "There is no configuration file nothing.toml."],
])("hone %j is told in one line, and nothing is written", async (argv, message) => {
  const { hone, folder } = await withEcho();
  const { code, stdout, stderr } = await hone(argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.slice(0, message.length + 7)).toBe(`error: ${message}`);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(await readdir(folder)).not.toContain("evals");
});

test("tasks that never end cannot all be evaluated", async () => {
  const made = await workspace();
  await provideEnvironment(
    made,
    "counter",
    defineEnvironment({
      name: "counter",
      tasks: endless(function* () {
        for (let n = 0; ; n++) yield { n };
      }),
      prompt: ({ task }) => String(task.n),
      rewards: { any: () => 1 },
    }),
  );
  const { code, stderr } = await made.hone(["eval", "counter", "-m", "scripted", "-n", "all"]);
  expect(code).toBe(2);
  expect(stderr).toContain("The tasks of counter never end: say how many to evaluate.");
  expect((await made.hone(["eval", "counter", "-m", "scripted", "-n", "3"])).code).toBe(0);
});
