// The first thing people try: one .ts file in an otherwise empty folder.
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const environment = `import { defineEnvironment } from "@hone/env";
const answer: string = "4";
export default defineEnvironment({
  name: "sum",
  tasks: [{ question: "2 + 2" }],
  prompt: ({ task }) => task.question,
  gold: () => answer,
  rewards: { right: ({ reply }) => reply === answer },
});
`;

test.each([
  ["no package.json", undefined],
  ["one that does not say what it is", "{}"],
  ['one that says "module"', '{ "type": "module" }'],
])("a lone TypeScript file is loaded with %s beside it", async (_what, manifest) => {
  const folder = await mkdtemp(join(tmpdir(), "hone-lone-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "sum.ts"), environment);
  if (manifest !== undefined) await writeFile(join(folder, "package.json"), manifest);
  const hone = join(root, "packages/cli/bin/hone.js");
  const { stdout } = await promisify(execFile)(process.execPath, [hone, "env", "test", "./sum.ts"], { cwd: folder });
  await rm(folder, { recursive: true });
  expect(stdout).toContain("6 checks: 6 ok");
});
