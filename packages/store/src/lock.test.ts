import { readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock, type LockHolder, readLock } from "./lock.ts";
import { processStart } from "./process-identity.ts";
import { rejection, temporaryFolder } from "./testing/temporary.ts";

/** Above the largest process number of any system. */
const nobody = 2 ** 30;
const dead: LockHolder = { pid: nobody, host: hostname(), start: "x", token: "dead", atMs: 0 };
const leave = (directory: string, holder: LockHolder, file = "lock"): Promise<void> =>
  writeFile(join(directory, file), JSON.stringify(holder));

test("a second writer is refused by the name of the first, and let in once it is released", async () => {
  const directory = await temporaryFolder();
  const lock = await acquireLock(directory);
  expect(await rejection(acquireLock(directory))).toMatchObject({
    code: "locked",
    message: `${directory} is being written by process ${process.pid} on ${hostname()}`,
    hint: expect.stringContaining("hone runs stop"),
  });
  expect(await readLock(directory)).toMatchObject({ pid: process.pid, host: hostname(), status: "alive" });
  await lock.release();
  expect(await readLock(directory)).toBeUndefined();
  await using _again = await acquireLock(directory);
  expect(await readdir(directory)).toEqual(["lock"]);
});

test("a dead writer is taken over", async () => {
  const directory = await temporaryFolder();
  await leave(directory, dead);
  expect(await readLock(directory)).toMatchObject({ status: "dead" });
  await using lock = await acquireLock(directory);
  expect(JSON.parse(await readFile(join(directory, "lock"), "utf8"))).toEqual(lock.holder);
  expect(await readdir(directory)).toEqual(["lock"]);
});

test.runIf(process.platform === "linux")("a process number that is used again is not the writer", async () => {
  const directory = await temporaryFolder();
  await leave(directory, { ...dead, pid: process.pid, start: "another boot/1" });
  await using lock = await acquireLock(directory);
  expect(lock.holder.start).toBe(await processStart(process.pid));
});

test("of many contenders for a dead writer's lock exactly one wins", async () => {
  for (let round = 0; round < 10; round++) {
    const directory = await temporaryFolder();
    await leave(directory, dead);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(directory)));
    const winners = results.filter((result) => result.status === "fulfilled");
    expect(winners.length).toBe(1);
    expect(await readLock(directory)).toMatchObject({ token: winners[0]?.value.holder.token });
  }
});

test("a process that died while taking over is taken over itself", async () => {
  const directory = await temporaryFolder();
  await leave(directory, dead);
  await leave(directory, { ...dead, token: "dead too" }, "lock.takeover");
  await using _lock = await acquireLock(directory);
  expect(await readdir(directory)).toEqual(["lock"]);
});

test("a writer on another host cannot be judged from here", async () => {
  const directory = await temporaryFolder();
  await leave(directory, { ...dead, host: "elsewhere.example" });
  expect(await rejection(acquireLock(directory))).toMatchObject({
    code: "locked",
    message: expect.stringContaining(`${nobody} on elsewhere.example`),
    hint: expect.stringContaining(`rm ${join(directory, "lock")}`),
  });
});

test("a lock that says nothing is left to a person", async () => {
  const directory = await temporaryFolder();
  await writeFile(join(directory, "lock"), "");
  expect(await rejection(acquireLock(directory))).toMatchObject({
    code: "locked",
    hint: expect.stringContaining("rm "),
  });
  expect(await readdir(directory)).toEqual(["lock"]);
});

test("only one's own lock is released", async () => {
  const directory = await temporaryFolder();
  const lock = await acquireLock(directory);
  await leave(directory, dead);
  await lock.release();
  expect(await readLock(directory)).toMatchObject({ token: "dead" });
});

test("a directory that does not exist is a disk error", async () => {
  expect(await rejection(acquireLock(join(await temporaryFolder(), "none")))).toMatchObject({ code: "disk" });
});
