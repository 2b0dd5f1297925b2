import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import { openAppendLog } from "./append-log.ts";
import { readLog } from "./read-log.ts";
import { collect, rejection, temporaryFolder } from "./testing/temporary.ts";

test("rows come in the order they were appended, and the folder is made", async () => {
  const path = join(await temporaryFolder(), "deep", "rows.jsonl");
  const log = await openAppendLog(path);
  for (let index = 0; index < 1000; index++) void log.append(String(index));
  await log.append("1000");
  expect(await readFile(path, "utf8")).toBe(`${Array.from({ length: 1001 }, (_, index) => index).join("\n")}\n`);
  await log.close();
});

test("rows appended in one turn share one write", async () => {
  await using log = await openAppendLog(join(await temporaryFolder(), "rows.jsonl"));
  expect(log.append("1")).toBe(log.append("2"));
});

test("a torn last line is cut off when the log is opened again", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  const text = '{"a":1}\n{"b":"\u20ac"}\n{"c":3}\n';
  for (let end = 0; end <= Buffer.byteLength(text); end++) {
    const torn = Buffer.from(text).subarray(0, end);
    await writeFile(path, torn);
    const log = await openAppendLog(path, { fsync: "never" });
    await log.append("0");
    await log.close();
    const whole = torn.subarray(0, torn.lastIndexOf(10) + 1).toString();
    expect(await readFile(path, "utf8")).toBe(`${whole}0\n`);
  }
});

test("a torn line longer than a block is cut off too", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await writeFile(path, `1\n${"x".repeat(200_000)}`);
  await (await openAppendLog(path)).close();
  expect(await readFile(path, "utf8")).toBe("1\n");
});

test("every way to force rows to the disk keeps them", async () => {
  const folder = await temporaryFolder();
  for (const fsync of ["never", "each", "close"] as const) {
    const path = join(folder, `${fsync}.jsonl`);
    const log = await openAppendLog(path, { fsync });
    await log.append("1");
    await log.flush();
    void log.append("2");
    await log.close();
    expect(await readFile(path, "utf8")).toBe("1\n2\n");
  }
});

test("what is not one line is refused, and the log goes on", async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  await using log = await openAppendLog(path);
  for (const line of ["", "{\n}"]) expect(await rejection(log.append(line))).toMatchObject({ code: "bad-row" });
  await log.append("1");
  expect(await readFile(path, "utf8")).toBe("1\n");
});

test("a closed log says so", async () => {
  const log = await openAppendLog(join(await temporaryFolder(), "rows.jsonl"));
  await log.close();
  await log.close();
  await log.flush();
  expect(await rejection(log.append("1"))).toMatchObject({ code: "closed" });
});

test("a folder where the file should be is a disk error that names it", async () => {
  const folder = await temporaryFolder();
  const error = await rejection(openAppendLog(folder));
  expect(HoneError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: "disk", message: expect.stringContaining(folder) });
});

test.skipIf(!existsSync("/dev/full"))(
  "a full disk fails waiting and later rows, and names the file and the way out",
  async () => {
    const log = await openAppendLog("/dev/full");
    const waiting = [log.append("1"), log.append("2")];
    for (const row of waiting) {
      expect(await rejection(row)).toMatchObject({
        code: "disk",
        message: expect.stringMatching(/\/dev\/full.*no space/i),
        hint: expect.stringContaining("Free some space"),
      });
    }
    expect(await rejection(log.append("3"))).toMatchObject({ code: "disk" });
    expect(await rejection(log.flush())).toMatchObject({ code: "disk" });
    expect(await rejection(log.close())).toMatchObject({ code: "disk" });
  },
);

test.skipIf(!existsSync("/dev/full"))(
  "an error that nobody waited for comes out of close, and of nowhere else",
  async () => {
    const log = await openAppendLog("/dev/full");
    void log.append("1");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await rejection(log.close())).toMatchObject({ code: "disk" });
  },
);

test("more rows than fit one write are all there", { timeout: 20_000 }, async () => {
  const path = join(await temporaryFolder(), "rows.jsonl");
  const log = await openAppendLog(path, { fsync: "never" });
  for (let index = 0; index < 100_000; index++) void log.append(String(index));
  await log.close();
  const rows = await collect(readLog(path));
  expect(rows.length).toBe(100_000);
  expect(rows.every((row, index) => row.value === index && row.line === index + 1)).toBe(true);
});
