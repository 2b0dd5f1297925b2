import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { replaceFiles } from "./staged-files.ts";

async function oldFolder(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ["part-1", "part-2", "index"]) await writeFile(join(folder, name), "old");
  return folder;
}
const writing = (names: readonly string[], check?: () => Promise<void>) => ({
  last: ["index"],
  isStale: (name: string) => name.startsWith("part-"),
  async write(stage: (name: string) => string) {
    for (const name of names) await writeFile(stage(name), "new");
    await check?.();
  },
});

test("the old files are whole until all new ones are written, then the new ones are", async () => {
  const folder = await oldFolder();
  const check = async (): Promise<void> => {
    for (const name of ["part-1", "part-2", "index"]) expect(await readFile(join(folder, name), "utf8")).toBe("old");
  };
  await replaceFiles(folder, writing(["part-1", "part-3", "index"], check));
  expect(await readdir(folder)).toEqual(["index", "part-1", "part-3"]);
  for (const name of ["part-1", "part-3", "index"]) expect(await readFile(join(folder, name), "utf8")).toBe("new");
});

test("when it ends between two renames, what a reader looks for is not there", async () => {
  const folder = await oldFolder();
  // A folder in the way of the second part: its rename fails after the first part is new.
  await mkdir(join(folder, "part-3", "inside"), { recursive: true });
  const error = await rejection(replaceFiles(folder, writing(["part-1", "part-3", "index"])));
  expect(error).toMatchObject({ code: "disk", message: expect.stringContaining(folder) });
  expect(await readFile(join(folder, "part-1"), "utf8")).toBe("new");
  expect(await readdir(folder)).toEqual(["part-1", "part-2", "part-3"]);
});
