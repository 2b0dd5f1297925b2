import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Cgroup, findCgroup } from "./cgroup.ts";

// The kernel's files are plain files here: what is looked for and written, not what it does.
const base = mkdtempSync(join(tmpdir(), "hone-cgroup-"));
afterAll(() => rmSync(base, { recursive: true }));

function hierarchy(name: string, groups: Record<string, string>): string {
  const root = join(base, name);
  for (const [path, controllers] of Object.entries(groups)) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, "cgroup.subtree_control"), controllers);
    writeFileSync(join(root, path, "cgroup.procs"), "");
  }
  return root;
}
function selfIn(name: string, path: string): string {
  const file = join(base, `${name}.self`);
  writeFileSync(file, `4:memory:/old\n0::${path}\n`);
  return file;
}

describe("findCgroup", () => {
  test("it takes the nearest group that hands its controllers down", async () => {
    const root = hierarchy("near", { "": "memory pids", a: "cpu memory pids\n", "a/b": "memory pids", "a/b/c": "" });
    expect(await findCgroup(root, selfIn("near", "/a/b/c"))).toBe(join(root, "a/b"));
  });

  test("a group without both controllers is passed over", async () => {
    const root = hierarchy("half", { "": "", a: "memory pids", "a/b": "memory", "a/b/c": "pids cpu" });
    expect(await findCgroup(root, selfIn("half", "/a/b/c"))).toBe(join(root, "a"));
  });

  test("there is none without version 2 or without controllers", async () => {
    const root = hierarchy("none", { "": "", a: "cpu" });
    expect(await findCgroup(root, selfIn("none", "/a"))).toBeUndefined();
    const old = join(base, "old.self");
    writeFileSync(old, "4:memory:/x\n1:cpu:/\n");
    expect(await findCgroup(root, old)).toBeUndefined();
    expect(await findCgroup(root, join(base, "missing"))).toBeUndefined();
  });

  test.skipIf(process.getuid?.() === 0)("a group that others own is passed over", async () => {
    const root = hierarchy("closed", { "": "", a: "memory pids" });
    chmodSync(join(root, "a"), 0o555);
    expect(await findCgroup(root, selfIn("closed", "/a"))).toBeUndefined();
    chmodSync(join(root, "a"), 0o755);
  });
});

test("a sandbox's group has its limits and processes, and its path is noted for whoever clears up", async () => {
  const parent = join(base, "parent");
  const folder = join(base, "1-2-abc");
  for (const path of [parent, folder]) mkdirSync(path);
  const cgroup = await Cgroup.create(parent, folder, { memoryMb: 100, diskMb: 28, processes: 50 });
  await cgroup.add(4321);
  const read = (name: string): string => readFileSync(join(cgroup.path, name), "utf8");
  expect(cgroup.path).toBe(join(parent, "hone-1-2-abc"));
  // Files in memory are memory.
  expect(read("memory.max")).toBe(String(128 * 2 ** 20));
  expect(Number(read("pids.max"))).toBeGreaterThanOrEqual(50);
  expect(read("cgroup.procs")).toBe("4321");
  expect(readFileSync(join(folder, "cgroup"), "utf8")).toBe(cgroup.path);
});

test("a group that cannot be made is an error that says what to do", async () => {
  const folder = join(base, "1-3-abc");
  mkdirSync(folder);
  const making = Cgroup.create(join(base, "nowhere"), folder, { memoryMb: 1, diskMb: 1, processes: 1 });
  await expect(making).rejects.toMatchObject({ code: "sandbox-open", hint: expect.stringContaining("cgroup: false") });
});
