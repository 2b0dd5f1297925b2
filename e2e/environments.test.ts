// Every reference environment from end to end: the command line, a scripted model, real sandboxes, a real judge server.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serveScripted } from "@hone/model/testing";
import { lacking, testSandboxes } from "@hone/sandbox/testing";
import { afterAll, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const cwd = await mkdtemp(join(tmpdir(), "hone-environments-"));
afterAll(() => rm(cwd, { recursive: true }));

interface Summary {
  readonly rollouts: number;
  readonly failed: number;
  readonly reward: { readonly mean: number };
}

async function evaluate(...args: readonly string[]): Promise<Summary> {
  const command = [join(root, "packages/cli/bin/hone.js"), "eval", ...args, "-n", "2", "-r", "2", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd });
  const { evaluation, ...rest } = JSON.parse(stdout) as { evaluation?: Summary } & Summary;
  return evaluation ?? rest;
}

test.each([
  ["reverse-text", []],
  ["alphabet-sort", []],
  ["word-guess", []],
  ["arithmetic", []],
  ["calculator", []],
  ["gsm8k", ["--arg", "source=own"]],
])("%s: a model that knows the answers is right", async (env, args) => {
  expect(await evaluate(env, "--model", "scripted:gold", ...args)).toMatchObject({ failed: 0, reward: { mean: 1 } });
});

const missing = await lacking(testSandboxes(), "python3", "node");
beforeEach(({ task, skip }) => skip(missing !== undefined && /python|shell-fix|mcp-files/.test(task.name), missing));

test.each([
  ["python-code", 1],
  ["math-python", 1],
])("%s: a model that knows the answers is right, in a sandbox", async (env, mean) => {
  expect(await evaluate(env, "--model", "scripted:gold")).toMatchObject({ failed: 0, reward: { mean } });
});

test.each(["shell-fix", "mcp-files"])("%s: a model that says nothing fails nothing and earns nothing", async (env) => {
  expect(await evaluate(env, "--model", "scripted:empty")).toMatchObject({ failed: 0, reward: { mean: 0 } });
});

test("research: another model judges", async () => {
  await using judge = await serveScripted(() => "yes");
  await writeFile(
    join(cwd, "endpoints.toml"),
    `[[endpoint]]\nname = "judge"\nmodel = "judge"\nbase_url = "${judge.url}"\n`,
  );
  expect(await evaluate("research", "--model", "scripted:gold")).toMatchObject({ failed: 0, reward: { mean: 1 } });
  expect(judge.requests.length).toBeGreaterThan(0);
});
