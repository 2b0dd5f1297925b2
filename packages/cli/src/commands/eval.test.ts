import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rolloutLines } from "../testing/binary.ts";
import { withEcho } from "../testing/environments.ts";

test("an evaluation says first what is run and where results go, then the table and the folder", async () => {
  const { hone, folder } = await withEcho();
  const { code, stdout, stderr } = await hone(["eval", "echo", "--model", "scripted:gold", "-n5", "-r", "2"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [name = ""] = await readdir(join(folder, "evals"));
  expect(name).toMatch(/^echo--scripted_gold--[a-z0-9]{6}$/);
  expect(stdout.split("\n")[0]).toBe(`echo on scripted:gold: 5 tasks, 2 rollouts each, results in evals/${name}`);
  expect(stdout).toMatch(/^reward +1\.000 +1\.000 to 1\.000/m);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(`evals/${name}`);
  expect(await readdir(join(folder, "evals", name))).toEqual(
    expect.arrayContaining(["run.toml", "tasks.jsonl", "rollouts", "evals.jsonl"]),
  );
  expect(rolloutLines(folder)).toHaveLength(10);
});

test("without -n and -r twenty tasks are asked three times", async () => {
  const { hone } = await withEcho();
  const { stdout } = await hone(["eval", "echo", "--model", "scripted"]);
  expect(stdout).toContain("echo on scripted: 20 tasks, 3 rollouts each");
  expect(stdout).toContain("36 rollouts of 12 tasks");
});

test("--json prints the evaluation and nothing else, the same for the same seed", async () => {
  const { hone } = await withEcho();
  const run = async (seed: string) => {
    const { code, stdout, stderr } = await hone(["eval", "echo", "-m", "scripted", "--seed", seed, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as {
      rollouts: number;
      env: string;
      reward: { mean: number };
      directory: string;
      metrics: object;
    };
  };
  const [first, second, other] = [await run("1"), await run("1"), await run("2")];
  expect(first).toMatchObject({
    env: "echo",
    model: "scripted",
    rollouts: 36,
    tasks: 12,
    failed: 0,
    interrupted: false,
  });
  expect(second.reward).toEqual(first.reward);
  expect(second.metrics).toEqual(first.metrics);
  expect(other.reward).not.toEqual(first.reward);
  expect(first.directory).not.toBe(second.directory);
});

test("arguments are read as TOML, in the spelling of files or of the schema", async () => {
  const { hone, folder } = await withEcho();
  const argv = ["eval", "echo", "-m", "scripted:gold", "-n1", "-r1", "--args", '{"style": "plain"}'];
  await hone([...argv, "--arg", "maxWords=1", "--arg", "style=loud"]);
  const [name = ""] = await readdir(join(folder, "evals"));
  const rows = await readFile(join(folder, "evals", name, "rollouts/000000.jsonl"), "utf8");
  expect(rows).toContain('"WORD0"');
});

test("--dry-run runs nothing and prints a file that runs, with where each name was found", async () => {
  const { hone, folder, write } = await withEcho();
  await write(
    "endpoints.toml",
    '[[endpoint]]\nname = "mini"\nbase_url = "https://models.example/v1"\nkey = "MINI_KEY"\n',
  );
  const env = { MINI_KEY: "sk-secret-of-mine" };
  const argv = ["eval", "echo", "-m", "mini", "-n", "4", "--arg", "max_words=2", "--temperature", "0.5", "--dry-run"];
  const { code, stdout, stderr } = await hone(argv, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("# environment echo: environments/echo/index.mjs, version 1.2.3\n");
  expect(stdout).toContain("# model mini: endpoints.toml, https://models.example/v1, key in MINI_KEY\n");
  expect(stdout).toMatch(/^# results: evals\/echo--mini--[a-z0-9]{6}$/m);
  expect(stdout).toMatch(/max_words = 2/);
  expect(stdout).not.toContain("sk-secret");
  expect(await readdir(folder)).not.toContain("evals");
  await write("again.toml", stdout);
  const again = await hone(["eval", "again.toml", "--dry-run", "--json"], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({
    config: {
      model: "mini",
      numTasks: 4,
      sampling: { temperature: 0.5 },
      env: [{ id: "echo", args: { max_words: 2 } }],
    },
    models: [{ name: "mini", foundIn: "endpoints.toml" }],
  });
});

test("a key may come from --env-file, and is never printed", async () => {
  const { hone, write } = await withEcho();
  await write("keys.env", "OPENAI_API_KEY=sk-very-secret-key\n");
  const { code, stdout, stderr } = await hone([
    "eval",
    "echo",
    "-m",
    "openai/gpt-5",
    "--env-file",
    "keys.env",
    "--dry-run",
    "--json",
  ]);
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain("secret");
});

test("a list of replies and a broken script are told apart", async () => {
  const { hone, write } = await withEcho();
  await write("list.mjs", 'export default ["word0 word0 word0"];');
  const list = await hone(["eval", "echo", "-m", "scripted:./list.mjs", "-n2", "-r1", "--json"]);
  expect((JSON.parse(list.stdout) as { reward: { mean: number } }).reward.mean).toBe(0.5);
  await write("number.mjs", "export default 3;");
  const { code, stderr } = await hone(["eval", "echo", "-m", "scripted:./number.mjs"]);
  expect(code).toBe(2);
  expect(stderr).toContain("The default export of ./number.mjs is not a script.");
});
