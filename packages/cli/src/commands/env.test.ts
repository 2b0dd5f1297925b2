import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineEnvironment } from "@hone/env";
import { expect, test } from "vitest";
import * as z from "zod";
import { echo } from "../testing/environments.ts";
import { provideEnvironment, workspace } from "../testing/workspace.ts";

test("env list shows environments of this folder first, then installed ones, by name and description", async () => {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  const { code, stdout } = await made.hone(["env", "list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^echo +1\.2\.3 +About echo\. +environments\/echo$/m);
  expect(stdout).toMatch(/^reverse-text +0\.1\.0 .* @hone\/reverse-text$/m);
  const listed = JSON.parse((await made.hone(["env", "list", "--json"])).stdout) as { id: string }[];
  expect(listed[0]).toMatchObject({ id: "echo", version: "1.2.3", description: "About echo." });
});

test("env info shows arguments, rewards, tasks and a prompt", async () => {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  const { code, stdout } = await made.hone(["env", "info", "echo", "--arg", "max_words=2"]);
  expect(code).toBe(0);
  expect(stdout).toBe(`echo 1.2.3  environments/echo
About echo.

Arguments
  name       takes                default
  max_words  whole number from 1  3        words in a text
  style      one of plain, loud   "plain"

Rewards
  same    weight 1
  length  metric

Tasks
  12; one in ten is held out for evaluation, by a hash

A task
  id    t0
  text  word0 word0

Its prompt
  system  Repeat.
  user    word0 word0
`);
  const facts = JSON.parse((await made.hone(["env", "info", "echo", "--json"])).stdout) as object;
  expect(facts).toMatchObject({
    name: "echo",
    rewards: { same: 1, length: 0 },
    tasks: { all: 12 },
    sample: { task: { id: "t0" }, prompt: [{ role: "system" }, { role: "user" }] },
  });
});

test("env info counts tasks that only reading tells, and names tools", async () => {
  const made = await workspace();
  const rows = function* () {
    for (let n = 0; n < 7; n++) yield { n };
  };
  await provideEnvironment(
    made,
    "tools",
    defineEnvironment({
      name: "tools",
      tasks: rows,
      evalTasks: [{ n: 9 }],
      prompt: ({ task }) => String(task.n),
      tools: { look: { description: "Looks.", parameters: z.object({}), execute: () => "seen" } },
      rewards: { any: () => 1 },
    }),
  );
  const { code, stdout } = await made.hone(["env", "info", "tools"]);
  expect(code).toBe(0);
  expect(stdout).toContain("7 to train on, 1 held out for evaluation");
  expect(stdout).toContain("  look  Looks.\n");
  expect(stdout).toContain("Arguments\n  none\n");
});

test("tasks that cannot be read are said beside what is known, with exit code 1", async () => {
  const made = await workspace();
  const offline = function* (): Generator<{ n: number }> {
    yield* [];
    throw new Error("the hub is not there");
  };
  await provideEnvironment(
    made,
    "far",
    defineEnvironment({ name: "far", tasks: offline, prompt: () => "", rewards: { any: () => 1 } }),
  );
  const { code, stdout } = await made.hone(["env", "info", "far"]);
  expect(code).toBe(1);
  expect(stdout).toContain("Tasks\n  cannot be read: the hub is not there\n");
  expect(stdout).toContain("  any  weight 1\n");
});

test("env test tries the checks and says what failed", async () => {
  const made = await workspace();
  await provideEnvironment(made, "echo", echo());
  const good = await made.hone(["env", "test", "echo", "-n", "3", "--arg", "max_words=1"]);
  expect(good.code).toBe(0);
  expect(good.stdout).toContain("  ok  gold replies score 1                   3 tried\n");
  expect(good.stdout).toContain("\n6 checks: 6 ok\n");
  await provideEnvironment(
    made,
    "generous",
    defineEnvironment({ name: "generous", tasks: [{ id: "a" }], prompt: () => "?", rewards: { always: () => 1 } }),
  );
  const bad = await made.hone(["env", "test", "generous"]);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/^ {2}failed +saying nothing scores 0 +task a scores 1/m);
  expect(bad.stdout).toContain("6 checks: 4 ok, 1 failed, 1 skipped\n");
  const { checks } = JSON.parse((await made.hone(["env", "test", "generous", "--json"])).stdout) as {
    checks: object[];
  };
  expect(checks).toContainEqual(expect.objectContaining({ name: "saying nothing scores 0", outcome: "failed" }));
});

test("env init makes a package and says what to do next; nothing is overwritten", async () => {
  const { hone, folder } = await workspace();
  const made = await hone(["env", "init", "@me/my-env"]);
  expect(made.code).toBe(0);
  expect(made.stdout).toContain("hone env test ./my-env\n");
  expect((await readdir(join(folder, "my-env"), { recursive: true })).sort()).toEqual([
    ".gitignore",
    "README.md",
    "package.json",
    "src",
    "src/index.test.ts",
    "src/index.ts",
    "tsconfig.json",
  ]);
  const manifest = JSON.parse(await readFile(join(folder, "my-env/package.json"), "utf8")) as object;
  expect(manifest).toMatchObject({
    name: "@me/my-env",
    hone: { source: "./src/index.ts" },
    peerDependencies: { "@hone/env": ">=0.1.0 <1.0.0" },
  });
  const source = await readFile(join(folder, "my-env/src/index.ts"), "utf8");
  expect(source.split("\n").length).toBeLessThan(30);
  const again = await hone(["env", "init", "my-env"]);
  expect(again).toEqual({
    code: 2,
    stdout: "",
    stderr: "error: my-env exists already. Nothing was changed. Choose another name, or another folder with --dir.\n",
  });
  const elsewhere = await hone(["env", "init", "my-env", "--dir", "environments", "--json"]);
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ name: "my-env", folder: join(folder, "environments/my-env") });
});

test.each([["My-Env"], ["../up"], ["a/b"], ["a b"], [".hidden"]])(
  "%j cannot be the name of an environment",
  async (name) => {
    const { hone, folder } = await workspace();
    const { code, stderr } = await hone(["env", "init", name]);
    expect(code).toBe(2);
    expect(stderr).toContain(`\`${name}\` cannot be the name of an environment.`);
    expect(await readdir(folder)).toEqual([]);
  },
);

test.each([["info"], ["test"]])("env %s of an unknown environment names the nearest", async (command) => {
  const { hone } = await workspace();
  const { code, stderr } = await hone(["env", command, "word-gess"]);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error: There is no environment \`word-gess\`. Did you mean \`word-guess\`? Try: hone env ${command} word-guess\n`,
  );
});
