// One test per promise of the README: what it shows is what happens.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const hone = join(root, "packages/cli/bin/hone.js");
const example = join(root, "examples/first-environment/letters.ts");

async function block(language: string): Promise<string> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? "";
}

test("the environment it shows is the file it names", async () => {
  expect(await block("ts")).toBe(await readFile(example, "utf8"));
});

test("the output it shows is what the command prints", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "hone-readme-"));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [hone, "eval", example, "--model", "scripted", "-r", "4"],
    { cwd },
  );
  await rm(cwd, { recursive: true });
  const shown = (await block("text")).split("\n").slice(1).join("\n").trim();
  expect(stdout).toContain(shown);
});
