import { InMemoryFs } from "just-bash";
import { describe, expect, test } from "vitest";
import { ShellFiles } from "./memory-bash-files.ts";

const make = (diskMb = 1): ShellFiles => new ShellFiles(new InMemoryFs({}), diskMb);
const paths = async (files: ShellFiles): Promise<unknown> => {
  const change = await files.changes();
  return (
    change && {
      changed: change.changed.map(({ path }) => path),
      removed: change.removed,
      text: String(change.contents),
    }
  );
};

describe("what a shell changes", () => {
  test("is told once, with the folders on the way and contents in order", async () => {
    const files = make();
    await files.fs.mkdir("/work/a/b", { recursive: true });
    await files.fs.writeFile("/work/a/b/2", "two");
    await files.fs.writeFile("/work/1", "one");
    await files.fs.writeFile("/etc/x", "elsewhere");
    expect(await paths(files)).toEqual({
      changed: ["/work/1", "/work/a", "/work/a/b", "/work/a/b/2"],
      removed: [],
      text: "onetwo",
    });
    expect(await paths(files)).toBeUndefined();
  });

  test("is told only where it makes a difference", async () => {
    const files = make();
    await files.fs.writeFile("/work/same", "x");
    await files.fs.writeFile("/work/other", "x");
    await paths(files);
    await files.fs.writeFile("/work/same", "x");
    await files.fs.appendFile("/work/other", "y");
    expect(await paths(files)).toEqual({ changed: ["/work/other"], removed: [], text: "xy" });
    await files.fs.mv("/work/same", "/tmp/moved");
    expect(await paths(files)).toEqual({ changed: ["/tmp/moved"], removed: ["/work/same"], text: "x" });
    await files.fs.cp("/work", "/tmp/copy", { recursive: true });
    await files.fs.rm("/work/other");
    expect(await paths(files)).toEqual({
      changed: ["/tmp/copy", "/tmp/copy/other"],
      removed: ["/work/other"],
      text: "xy",
    });
  });

  test("behind a link stays as it was: the link is replaced", async () => {
    const files = make();
    await files.fs.writeFile("/work/a", "1");
    await files.fs.symlink("a", "/work/b");
    await paths(files);
    await files.fs.writeFile("/work/b", "2");
    expect(await paths(files)).toEqual({ changed: ["/work/b"], removed: [], text: "2" });
  });
});

test("what changed elsewhere is there, and not told back", async () => {
  const files = make();
  await files.fs.writeFile("/work/old", "x");
  await paths(files);
  await files.apply(
    {
      changed: [
        { path: "/work/d", kind: "folder", bytes: 0 },
        { path: "/work/d/f", kind: "file", bytes: 2 },
        { path: "/work/l", kind: "link", bytes: 0, target: "d/f" },
      ],
      removed: ["/work/old"],
    },
    Buffer.from("hi"),
  );
  expect(await paths(files)).toBeUndefined();
  expect([await files.fs.readFile("/work/l"), await files.fs.exists("/work/old")]).toEqual(["hi", false]);
  expect([await files.isFolder("/work/d"), await files.isFolder("/work/d/f"), await files.isFolder("/x")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("there are no more entries than the disk has room for, and removing makes room", async () => {
  const files = make(1);
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 2000; index++) await files.fs.writeFile(`/work/${index}`, "");
  };
  await expect(fill()).rejects.toThrow("ENOSPC");
  await files.fs.rm("/work", { recursive: true });
  await files.fs.writeFile("/work/again", "");
});
