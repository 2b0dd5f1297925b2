import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runPaths } from "@hone/store";
import { expect, test } from "vitest";
import { sampleRoot, sampleRun } from "../testing/sample-run.ts";
import { keptCheckpoints } from "./kept-checkpoints.ts";

test("checkpoints are what lies in weights/ under the name of a step, and nothing that lies elsewhere", async () => {
  await using root = await sampleRoot();
  await (await sampleRun(root, "t1")).close();
  const folder = join(root.path, "runs", "t1");
  const { weights } = runPaths(folder);
  await rm(weights, { recursive: true, force: true });
  expect(await keptCheckpoints(folder)).toEqual([]);
  for (const name of ["000020", "000009", "000018.part", "1234567"])
    await mkdir(join(weights, name), { recursive: true });
  await writeFile(join(weights, "notes.txt"), "");
  expect(await keptCheckpoints(folder)).toEqual([9, 20, 1_234_567]);
  await rm(weights, { recursive: true });
  await mkdir(join(root.path, "elsewhere", "000001"), { recursive: true });
  await symlink(join(root.path, "elsewhere"), weights);
  expect(await keptCheckpoints(folder)).toEqual([]);
});
