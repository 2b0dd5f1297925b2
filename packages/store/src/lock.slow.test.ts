import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock, readLock } from "./lock.ts";
import { type Child, startChild } from "./testing/child.ts";
import { rejection, temporaryFolder } from "./testing/temporary.ts";

const hold = `await store.acquireLock(args[0]); say("locked"); setInterval(() => {}, 1000);`;

async function startHolder(directory: string): Promise<Child> {
  const child = startChild(hold, [directory]);
  await once(child.process.stdout, "data");
  return child;
}

test("a live process is named and never taken over; once killed, it is", async () => {
  const directory = await temporaryFolder();
  const child = await startHolder(directory);
  const pid = child.process.pid ?? 0;
  expect(await rejection(acquireLock(directory))).toMatchObject({
    code: "locked",
    message: expect.stringContaining(`process ${pid} on `),
    hint: expect.stringContaining(`end process ${pid}`),
  });
  child.process.kill("SIGKILL");
  await child.output;
  expect(await readLock(directory)).toMatchObject({ pid, status: "dead" });
  await using lock = await acquireLock(directory);
  expect(lock.holder.pid).toBe(process.pid);
});

test("of several processes that find the same dead writer exactly one takes over", async () => {
  const root = await temporaryFolder();
  const directories = Array.from({ length: 40 }, (_, index) => join(root, `run-${index}`));
  await Promise.all(directories.map((directory) => mkdir(directory)));
  await startChild(`for (const directory of args) await store.acquireLock(directory);`, directories).output;
  for (const directory of directories) expect(await readLock(directory)).toMatchObject({ status: "dead" });

  const start = Date.now() + 1500;
  const contenders = [1, 2, 3].map(() =>
    startChild(
      `const [start, ...directories] = args;
       for (const [index, directory] of directories.entries()) {
         while (Date.now() < Number(start) + index * 10);
         await store.acquireLock(directory).then(() => say(directory), (error) => {
           if (error.code !== "locked") throw error;
         });
       }
       // All stay alive until the last has tried.
       await new Promise((resolve) => setTimeout(resolve, 1000));`,
      [String(start), ...directories],
    ),
  );
  const outputs = await Promise.all(contenders.map((child) => child.output));
  const won = outputs.flatMap((output) => output.split("\n").filter((line) => line !== ""));
  expect(won.sort()).toEqual(directories.sort());
});
