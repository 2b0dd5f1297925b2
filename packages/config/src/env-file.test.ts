import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEnvFile } from "./env-file.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hone-env-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string): Promise<Readonly<Record<string, string>>> {
  const path = join(folder, "secrets.env");
  await writeFile(path, text);
  return readEnvFile(path);
}

test.each([
  ["A=1", "1"],
  ["A = b c ", "b c"],
  ["export A=1", "1"],
  ["A=a#b # comment", "a#b"],
  ["A= # nothing", ""],
  ["A=", ""],
  ['A="a # b" # c', "a # b"],
  ['A="a\\n\\"b\\"\\\\"', 'a\n"b"\\'],
  ["A='a\\n \"b\"'", 'a\\n "b"'],
  ["A=$B=c", "$B=c"],
  ["\ufeff# c\r\n\r\nA=1\r\n", "1"],
  ["A=1\nA=2", "2"],
])("%j gives %j", async (text, value) => {
  expect(await read(text)).toEqual({ A: value });
});

test("a line that cannot be read is named by its number, and nothing of it is shown", async () => {
  const text = "A=1\nsk-live-123\nB=\"sk-live-456\nC='sk-live-789' x\n1D=sk-live-000";
  const error: unknown = await read(text).catch((reason: unknown) => reason);
  const file = join(folder, "secrets.env");
  expect(error).toMatchObject({
    code: "config",
    at: { file, line: 2, column: 1 },
    message: [
      `${file}:2:1 expected NAME=value`,
      `${file}:3:1 the quote is not closed, or text follows it`,
      `${file}:4:1 the quote is not closed, or text follows it`,
      `${file}:5:1 expected NAME=value`,
    ].join("\n"),
  });
  expect(JSON.stringify(error)).not.toContain("sk-live");
});

test("a missing file is named", async () => {
  await expect(readEnvFile(join(folder, "none.env"))).rejects.toMatchObject({
    code: "config",
    message: `There is no environment file ${join(folder, "none.env")}.`,
  });
});
