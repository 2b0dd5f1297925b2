// kill -9 at any moment, and a disk that fills up: what was promised is there, nothing else is, and the files go on.
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAppendLog } from "./append-log.ts";
import { readLog } from "./read-log.ts";
import { readRollouts } from "./read-rollouts.ts";
import { openRolloutWriter } from "./rollout-file.ts";
import { acquireLock } from "./lock.ts";
import { rolloutOf } from "./testing/arbitrary-rollout.ts";
import { type Child, startChild } from "./testing/child.ts";
import { collect, temporaryFolder } from "./testing/temporary.ts";

/** Kills it a random while after its first word. Gives the last number it said. */
async function killAfterAWhile(child: Child): Promise<number> {
  await once(child.process.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
  child.process.kill("SIGKILL");
  const lines = (await child.output).trimEnd().split("\n");
  return Number(lines.at(-1));
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test("after kill -9 a log has whole rows only, among them every row that was flushed", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  for (let round = 0, before = 0; round < 6; round++) {
    const child = startChild(
      `const log = await store.openAppendLog(args[0]);
       const filler = "x".repeat(3000);
       for (let row = Number(args[1]); ; ) {
         for (let many = 0; many < 200; many++) log.append(JSON.stringify({ row: row++, filler }));
         await log.flush();
         say(String(row));
       }`,
      [path, String(before)],
    );
    const flushed = await killAfterAWhile(child);
    const rows = await collect(readLog(path));
    expect(rows.length).toBeGreaterThanOrEqual(flushed);
    expect(rows.map(({ value }) => (value as { row: number }).row)).toEqual(numbers(rows.length));
    before = rows.length;
  }
  const log = await openAppendLog(path);
  await log.append('{"row":"last"}');
  await log.close();
  expect((await collect(readLog(path))).at(-1)?.value).toEqual({ row: "last" });
});

test("after kill -9 rollouts are whole, with their own tokens, and the run is taken over", async () => {
  const directory = await temporaryFolder();
  for (let round = 0, before = 0; round < 6; round++) {
    const child = startChild(
      `await store.acquireLock(args[0]);
       const template = JSON.parse(args[2]);
       const writer = await store.openRolloutWriter(args[0], 7);
       for (let number = Number(args[1]); ; ) {
         for (let many = 0; many < 50; many++, number++) {
           const size = 1 + (number % 997);
           const tokens = {
             ids: new Int32Array(size).fill(number),
             sampledFrom: 0,
             logprobs: new Float32Array(size).fill(-number),
             policyVersion: { values: [0], lengths: [size] },
           };
           const nodes = [template.nodes[0], { ...template.nodes[0], parent: 0, tokens }];
           writer.write({ ...template, id: "rollout-" + number, index: number, nodes });
         }
         await writer.flush();
         say(String(number));
       }`,
      [directory, String(before), JSON.stringify(rolloutOf(0))],
    );
    const flushed = await killAfterAWhile(child);
    let read = 0;
    for await (const rollout of readRollouts(directory, { step: 7 })) {
      const tokens = rollout.nodes[1]?.tokens;
      expect(rollout.index).toBe(read);
      expect(tokens?.ids.length).toBe(1 + (read % 997));
      expect(tokens?.ids.every((id) => id === rollout.index)).toBe(true);
      expect(tokens?.logprobs.every((value) => value === -rollout.index)).toBe(true);
      read++;
    }
    expect(read).toBeGreaterThanOrEqual(flushed);
    before = read;
  }
  await using _lock = await acquireLock(directory);
  const writer = await openRolloutWriter(directory, 7);
  await writer.write(rolloutOf(1));
  await writer.close();
  expect((await collect(readRollouts(directory, { step: 7 }))).at(-1)).toEqual(rolloutOf(1));
});

test.skipIf(process.platform === "win32")("a disk that fills up in the middle of a row leaves whole rows", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  const child = startChild(
    `const log = await store.openAppendLog(args[0], { fsync: "never" });
     let row = 0;
     try {
       for (; ; row++) await log.append(JSON.stringify({ row, filler: "x".repeat(777) }));
     } catch (error) {
       const later = await log.append("{}").then(() => "accepted", (problem) => problem.code);
       say([row, error.code, error.message.includes(args[0]), later].join(" "));
     }`,
    [path],
    // In blocks of 512 bytes: a limit on the size of any file, which a write meets half way.
    "ulimit -f 100;",
  );
  const [written, code, isNamed, later] = (await child.output).trim().split(" ");
  expect([code, isNamed, later]).toEqual(["disk", "true", "disk"]);
  expect((await stat(path)).size).toBeLessThanOrEqual(100 * 1024);
  const rows = await collect(readLog(path));
  expect(rows.length).toBe(Number(written));
  expect(rows.length).toBeGreaterThan(10);
});
