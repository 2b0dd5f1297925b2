// Folders of dead programs, and what they left running.
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processStart, reapSandboxes, StateFolder } from "./reaper.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hone-reaper-"));
  chmodSync(folder, 0o711);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ended = (program: ReturnType<typeof spawn>): Promise<unknown> =>
  new Promise((resolve) => program.once("exit", resolve));

test("the folders of living programs stay", async () => {
  const state = await StateFolder.open(folder);
  const claimed = [await state.claim(), await state.claim()];
  expect(await state.reap()).toBe(0);
  expect(claimed.every((path) => existsSync(path))).toBe(true);
});

test("the folder of a dead program goes, with what is in it", async () => {
  const left = join(folder, "999999999-12345-00000000");
  mkdirSync(join(left, "work/deep"), { recursive: true });
  writeFileSync(join(left, "work/deep/file"), "x");
  expect(await reapSandboxes(folder)).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test("a number that was given to another process since is recognised by its start", async () => {
  const own = await processStart(process.pid);
  mkdirSync(join(folder, `${process.pid}-${Number(own) - 1}-00000000`));
  mkdirSync(join(folder, `${process.pid}-${own}-00000000`));
  expect(await reapSandboxes(folder)).toBe(1);
  expect(readdirSync(folder)).toEqual([`${process.pid}-${own}-00000000`]);
});

test("what the dead program left running is killed, and nothing else", async () => {
  const left = join(folder, "999999999-12345-11111111");
  mkdirSync(left);
  const own = spawn("sleep", ["60"], { env: { HOME: join(left, "work") }, stdio: "ignore" });
  const bystander = spawn("sleep", ["60"], {
    env: { HOME: `${left}-other`, NOTE: join(left, "work") },
    stdio: "ignore",
  });
  const death = ended(own);
  expect(await reapSandboxes(folder)).toBe(1);
  await death;
  expect([own.signalCode, bystander.signalCode, bystander.exitCode]).toEqual(["SIGKILL", null, null]);
  bystander.kill("SIGKILL");
});

test("other names are left alone", async () => {
  for (const name of ["notes", "1-2", "1-2-xyz", "1-2-000000000"]) mkdirSync(join(folder, name));
  expect(await reapSandboxes(folder)).toBe(0);
  expect(readdirSync(folder).length).toBe(4);
});

test("a folder that is somebody else's, or a link, is refused", async () => {
  const link = join(folder, "link");
  symlinkSync("/usr", link);
  await expect(StateFolder.open(link)).rejects.toThrow("belongs to somebody else");
});
