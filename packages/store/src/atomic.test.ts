import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeTemporaries, writeFileAtomic } from "./atomic.ts";
import { rejection, temporaryFolder } from "./testing/temporary.ts";

test("a file is replaced as a whole and leaves nothing beside it", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "run.toml");
  await writeFileAtomic(path, "one");
  await writeFileAtomic(path, new TextEncoder().encode("two"));
  expect(await readFile(path, "utf8")).toBe("two");
  expect(await readdir(folder)).toEqual(["run.toml"]);
});

test("whoever reads meanwhile sees one content or the other", async () => {
  const path = join(await temporaryFolder(), "state");
  const contents = ["a", "b"].map((letter) => letter.repeat(100_000));
  await writeFileAtomic(path, contents[0] ?? "");
  const progress = { isDone: false };
  const writing = (async () => {
    for (let round = 0; round < 10; round++) await writeFileAtomic(path, contents[round % 2] ?? "");
    progress.isDone = true;
  })();
  while (!progress.isDone) expect(contents).toContain(await readFile(path, "utf8"));
  await writing;
});

test("a failure leaves no temporary file and names the path", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "taken"));
  expect(await rejection(writeFileAtomic(join(folder, "taken"), "x"))).toMatchObject({
    code: "disk",
    message: expect.stringContaining(join(folder, "taken")),
  });
  expect(await readdir(folder)).toEqual(["taken"]);
});

test("a file in pieces is their sequence", async () => {
  const path = join(await temporaryFolder(), "pieces");
  await writeFileAtomic(path, new Set(["one ", "two ", "drei ä"]));
  expect(await readFile(path, "utf8")).toBe("one two drei ä");
});

test("temporaries of killed writers are taken away, here and below, and nothing else", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "samples", "deep"), { recursive: true });
  const temporary = ".000001.jsonl.8d1f6c1e-2a33-4c55-9a77-0123456789ab.tmp";
  for (const name of ["", "samples", "samples/deep"]) await writeFile(join(folder, name, temporary), "half");
  for (const name of ["run.toml", ".hidden.tmp", "mine.tmp"]) await writeFile(join(folder, name), "whole");
  await removeTemporaries(folder);
  const left = await readdir(folder, { recursive: true });
  expect(left.sort()).toEqual([".hidden.tmp", "mine.tmp", "run.toml", "samples", join("samples", "deep")]);
  await removeTemporaries(join(folder, "missing"));
});
