// The binary itself: what only a process can show. Needs the build.
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary, repository, rolloutLines, start, until } from "./testing/binary.ts";
import { workspace } from "./testing/workspace.ts";

/** Answers after a while, so that there is a time in which to stop it. */
const slowScript = 'export default () => ({ content: "<reversed_text>x</reversed_text>", delayMs: 40 });\n';
const slowEval = (concurrency: number): string[] =>
  `eval reverse-text --model scripted:./slow.mjs -n 30 -r 2 --concurrency ${concurrency}`.split(" ");

function places(cwd: string): string[] {
  return rolloutLines(cwd).map(({ taskId, index }) => `${taskId}#${index}`);
}

test("an environment of the repository is found from anywhere, and evaluated offline", async () => {
  const { folder } = await workspace();
  const { code, stdout, stderr } = await start(["eval", "reverse-text", "--model", "scripted", "-n", "20", "-r", "3"], {
    cwd: folder,
  }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    /^reverse-text on scripted: 20 tasks, 3 rollouts each, results in evals\/reverse-text--scripted--\w{6}\n/,
  );
  expect(stdout).toContain("reverse-text · scripted · 60 rollouts of 20 tasks");
  const [, mean = ""] = /^exact +([\d.]+)/m.exec(stdout) ?? [];
  expect(Number(mean)).toBeGreaterThan(0.5);
  expect(Number(mean)).toBeLessThan(0.85);
  expect(new Set(places(folder)).size).toBe(60);
});

test("on worker threads the numbers are the same, and so are the tasks with what is right", async () => {
  const { folder } = await workspace();
  const argv = ["eval", "reverse-text", "--model", "scripted", "-n", "6", "--json"];
  const plain = JSON.parse((await start(argv, { cwd: folder }).ended).stdout) as { reward: object };
  const threads = await start([...argv, "--workers", "2"], { cwd: folder }).ended;
  expect(threads.code).toBe(0);
  expect((JSON.parse(threads.stdout) as { reward: object }).reward).toEqual(plain.reward);
  const files = readdirSync(join(folder, "evals")).map((name) => join(folder, "evals", name, "tasks.jsonl"));
  const [one = "", other] = files.map((file) => readFileSync(file, "utf8"));
  expect(one.match(/"gold":\["<reversed_text>/g)).toHaveLength(6);
  expect(other).toBe(one);
});

test("Ctrl-C once: files are complete, and --resume does the rest and nothing twice", async () => {
  const { folder, write } = await workspace();
  await write("slow.mjs", slowScript);
  const { child, ended } = start(slowEval(2), { cwd: folder });
  await until(() => rolloutLines(folder).length >= 5);
  child.kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(130);
  expect(stdout).toContain("interrupted");
  expect(stderr).toMatch(/Go on with:\n {2}hone eval reverse-text .* --resume evals\/reverse-text--scripted/);
  const before = places(folder);
  expect(before.length).toBeLessThan(60);
  const resumed = await start([...slowEval(16), "--resume"], { cwd: folder }).ended;
  expect(resumed.stderr).toBe("");
  expect(resumed.code).toBe(0);
  const after = places(folder);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after).toHaveLength(60);
  expect(new Set(after).size).toBe(60);
});

test("Ctrl-C twice quits at once, whatever an environment still does", async () => {
  const { folder, write } = await workspace();
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const environment = `import { defineEnvironment } from "@hone/env";
export default defineEnvironment({
  name: "stuck",
  tasks: [{ id: "a" }],
  prompt: () => "hello",
  rewards: { any: () => 1 },
  cleanup: () => {
    process.stderr.write("cleaning");
    return new Promise(() => {});
  },
});`;
  await write("stuck.mjs", environment);
  const { child, ended } = start(["eval", "./stuck.mjs", "--model", "scripted", "-n1", "-r1"], { cwd: folder });
  let said = "";
  child.stderr?.on("data", (text: string) => (said += text));
  await until(() => said.includes("cleaning"));
  child.kill("SIGINT");
  await until(() => said.includes("Ctrl-C again quits at once"));
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  // The table would come after the time that rollouts are given to end.
  expect(stdout).not.toContain("interrupted");
});

test("after kill -9 --resume loses and repeats nothing", async () => {
  const { folder, write } = await workspace();
  await write("slow.mjs", slowScript);
  const { child, ended } = start(slowEval(2), { cwd: folder });
  await until(() => rolloutLines(folder).length >= 7);
  child.kill("SIGKILL");
  expect((await ended).signal).toBe("SIGKILL");
  const before = places(folder);
  const resumed = await start([...slowEval(16), "--resume", "--json"], { cwd: folder }).ended;
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ rollouts: 60, failed: 0, interrupted: false });
  const after = places(folder);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(new Set(after).size).toBe(60);
  expect(after).toHaveLength(60);
});

test("a closed pipe ends the program quietly", async () => {
  const { folder, write } = await workspace();
  await write("slow.mjs", slowScript);
  const { child, ended } = start(slowEval(16), { cwd: folder });
  child.stdout?.once("data", () => child.stdout?.destroy());
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 141, stderr: "" });
});

test("a new environment passes its own test, compiles, and is evaluated", async () => {
  const { folder } = await workspace();
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const run = (argv: readonly string[], cwd = folder, program = binary) =>
    start(argv, { cwd, program, env: { NO_COLOR: "1" } }).ended;
  expect((await run(["env", "init", "my-env"])).code).toBe(0);
  const checked = await run(["env", "test", "./my-env"]);
  expect(checked.stdout).toContain("6 checks: 6 ok");
  expect(checked.code).toBe(0);
  const own = await run(["run"], join(folder, "my-env"), join(repository, "node_modules/vitest/vitest.mjs"));
  expect(own.stdout).toMatch(/Tests +2 passed/);
  expect(own.code).toBe(0);
  const compiled = await run(["--noEmit"], join(folder, "my-env"), join(repository, "node_modules/typescript/bin/tsc"));
  expect(compiled).toMatchObject({ code: 0, stdout: "" });
  const evaluated = await run(["eval", ".", "--model", "scripted:gold", "-n5", "--json"], join(folder, "my-env"));
  expect(JSON.parse(evaluated.stdout)).toMatchObject({ env: "my-env", reward: { mean: 1 } });
});

test("the example of a matrix runs offline", async () => {
  const { folder } = await workspace();
  const { code, stdout } = await start(["eval", join(repository, "examples/eval-matrix/eval.toml")], { cwd: folder })
    .ended;
  expect(code).toBe(0);
  const rows = stdout
    .split("\n")
    .slice(2, 5)
    .map((line) => line.trim().split(/ {2,}/));
  expect(rows[0]).toEqual(["scripted", "scripted:gold"]);
  expect(rows[1]?.[0]).toBe("reverse-text");
  expect(rows[2]?.[0]).toBe("gsm8k");
  expect(rows.slice(1).map((row) => row[2])).toEqual(["1.000 ± 0.000", "1.000 ± 0.000"]);
});

test("a checkout that was not built says so", async () => {
  const { folder } = await workspace();
  await mkdir(join(folder, "bin"));
  await cp(binary, join(folder, "bin/hone.mjs"));
  const { code, stderr } = await start([], { cwd: folder, program: join(folder, "bin/hone.mjs") }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain("error: hone is not built here. Run `npm run build` in its repository.");
});
