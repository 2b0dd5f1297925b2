import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import type { Rollout } from "@hone/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BadRow } from "./read-log.ts";
import { readRollouts, type ReadRolloutsOptions, rolloutSteps } from "./read-rollouts.ts";
import { openRolloutWriter } from "./rollout-file.ts";
import { rolloutPaths, runPaths } from "./run-paths.ts";
import { arbitraryRollout, rolloutOf } from "./testing/arbitrary-rollout.ts";
import { collect, rejection, temporaryFolder } from "./testing/temporary.ts";
import { writeBytes } from "./write-queue.ts";

async function write(directory: string, step: number, rollouts: readonly Rollout[]): Promise<void> {
  const writer = await openRolloutWriter(directory, step, { fsync: "never" });
  for (const rollout of rollouts) void writer.write(rollout);
  await writer.close();
}

const read = (directory: string, options?: ReadRolloutsOptions): Promise<Rollout[]> =>
  collect(readRollouts(directory, options));
const ids = (rollouts: readonly Rollout[]): string[] => rollouts.map((rollout) => rollout.id);

test("rollouts come back as they were written", async () => {
  const directory = await temporaryFolder();
  let step = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryRollout, { maxLength: 4 }), async (rollouts) => {
      step++;
      await write(directory, step, rollouts);
      expect(await read(directory, { step })).toEqual(rollouts);
    }),
    { numRuns: 60 },
  );
});

test("columns come back as typed arrays, bit for bit, each rollout with memory of its own", async () => {
  const directory = await temporaryFolder();
  const written = rolloutOf(1);
  written.nodes[1]?.tokens?.logprobs.set([Number.NaN, -0, Number.NEGATIVE_INFINITY]);
  await write(directory, 0, [rolloutOf(0), written]);
  const tokens = (await read(directory))[1]?.nodes[1]?.tokens;
  expect(tokens?.ids).toBeInstanceOf(Int32Array);
  expect(tokens?.logprobs).toBeInstanceOf(Float32Array);
  expect(tokens).toEqual(written.nodes[1]?.tokens);
  expect(tokens?.ids.buffer.byteLength).toBe(4 * (12 + 4));
});

test("tokens are no part of the text: little-endian columns lie in the token file", async () => {
  const directory = await temporaryFolder();
  await write(directory, 3, [rolloutOf(5)]);
  const paths = rolloutPaths(directory, 3);
  expect(await readFile(paths.lines, "utf8")).toContain('"tokens":{"at":0,"ids":12,"sampledFrom":2,"logprobs":4,');
  const bytes = await readFile(paths.tokens);
  expect(bytes.length).toBe(4 * 16);
  expect(bytes.readInt32LE(4)).toBe(5001);
  expect(bytes.readFloatLE(4 * 12)).toBe(-5.25);
});

test("columns larger than a write, and many writes, keep their places", async () => {
  const directory = await temporaryFolder();
  const sizes = [1, writeBytes, 3, writeBytes / 4, 0, 7, writeBytes / 2, 9];
  const rollouts = [...sizes, ...sizes].map((size, number) => rolloutOf(number, { ids: size }));
  const writer = await openRolloutWriter(directory, 0, { fsync: "each" });
  for (const [index, rollout] of rollouts.entries()) {
    const written = writer.write(rollout);
    if (index % 3 === 0) await written;
  }
  await writer.close();
  const back = await read(directory);
  expect(ids(back)).toEqual(ids(rollouts));
  for (const [index, rollout] of back.entries()) {
    const [got, put] = [rollout.nodes[1]?.tokens, rollouts[index]?.nodes[1]?.tokens];
    expect(got?.ids.every((id, at) => id === put?.ids[at]) && got.ids.length === put?.ids.length).toBe(true);
    expect(got?.logprobs.every((value, at) => value === put?.logprobs[at])).toBe(true);
  }
});

test("files cut anywhere give back the first rollouts and nothing else, and can be continued", async () => {
  const directory = await temporaryFolder();
  const rollouts = [0, 1, 2, 3].map((number) =>
    number === 2 ? { ...rolloutOf(number), nodes: [] } : rolloutOf(number),
  );
  let step = 0;
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 200 }), async (part, tokensCut) => {
      step++;
      const paths = rolloutPaths(directory, step);
      await write(directory, step, rollouts);
      const { size } = await stat(paths.lines);
      const cut = Math.round(part * size);
      await truncate(paths.lines, cut);
      if (tokensCut < (await stat(paths.tokens)).size) await truncate(paths.tokens, tokensCut);
      const back = await read(directory, { step });
      expect(back).toEqual(rollouts.slice(0, back.length));
      const withoutTokens = await read(directory, { step, tokens: false });
      expect(ids(withoutTokens)).toEqual(ids(back));

      await write(directory, step, [rolloutOf(9)]);
      expect(await read(directory, { step })).toEqual([...back, rolloutOf(9)]);
    }),
    { numRuns: 100 },
  );
});

test("nothing is lost when the files are whole", async () => {
  const directory = await temporaryFolder();
  await write(directory, 0, [rolloutOf(0), rolloutOf(1)]);
  await appendFile(rolloutPaths(directory, 0).tokens, "orphan");
  await write(directory, 0, [rolloutOf(2)]);
  expect(await read(directory)).toEqual([0, 1, 2].map((number) => rolloutOf(number)));
  expect((await stat(rolloutPaths(directory, 0).tokens)).size).toBe(3 * 4 * 16);
});

test("a reader that saw tokens without a line does not give them to the line that replaced them", async () => {
  const directory = await temporaryFolder();
  const paths = rolloutPaths(directory, 0);
  // Enough lines that the reader needs a second look at the file for the last.
  const many = Array.from({ length: 900 }, (_, number) => rolloutOf(number));
  await write(directory, 0, many);
  await appendFile(paths.tokens, new Uint8Array(4 * 16).fill(1));
  const reading = readRollouts(directory, { step: 0 });
  const back: Rollout[] = [];
  for await (const rollout of reading) {
    back.push(rollout);
    if (back.length === 1) await write(directory, 0, [rolloutOf(900)]);
  }
  expect(back.at(-1)).toEqual(rolloutOf(900));
});

test("all steps are read in order; other files are not", async () => {
  const directory = await temporaryFolder();
  for (const step of [12, 2, 1_000_000]) await write(directory, step, [rolloutOf(step)]);
  for (const file of ["notes.jsonl", "000003.json", "7.jsonl"]) {
    await writeFile(`${runPaths(directory).rollouts}/${file}`, "x\n");
  }
  expect(await rolloutSteps(directory)).toEqual([2, 12, 1_000_000]);
  expect(ids(await read(directory))).toEqual(["rollout-2", "rollout-12", "rollout-1000000"]);
});

test("a run without rollouts has none", async () => {
  const directory = await temporaryFolder();
  expect(await read(directory)).toEqual([]);
  expect(await read(directory, { step: 4 })).toEqual([]);
});

test("rollouts without tokens need no token file", async () => {
  const directory = await temporaryFolder();
  const plain = { ...rolloutOf(1), nodes: [] };
  await write(directory, 0, [plain]);
  expect(await readdir(runPaths(directory).rollouts)).toEqual(["000000.jsonl"]);
  await write(directory, 0, [plain]);
  expect(await read(directory)).toEqual([plain, plain]);
});

test("without tokens the nodes come bare and the token file may be missing", async () => {
  const directory = await temporaryFolder();
  await write(directory, 0, [rolloutOf(1)]);
  await rm(rolloutPaths(directory, 0).tokens);
  const [rollout] = await read(directory, { tokens: false });
  expect(rollout?.nodes.map((node) => "tokens" in node)).toEqual([false, false]);
  expect(await rejection(read(directory))).toMatchObject({ code: "missing-tokens" });
  const before = await readFile(rolloutPaths(directory, 0).lines);
  expect(await rejection(openRolloutWriter(directory, 0))).toMatchObject({ code: "missing-tokens" });
  expect(await readFile(rolloutPaths(directory, 0).lines)).toEqual(before);
});

test("malformed rollouts are reported with their line, the rest unharmed", async () => {
  const directory = await temporaryFolder();
  const paths = rolloutPaths(directory, 0);
  await write(directory, 0, [rolloutOf(0), rolloutOf(1), rolloutOf(2), rolloutOf(3)]);
  const [first, second, third, last] = (await readFile(paths.lines, "utf8")).trimEnd().split("\n");
  const spoilt = [
    first,
    "nonsense",
    second?.replace('"ids":12', '"ids":999'),
    second?.replace('"truncated"', '"shortened"'),
    third?.replace(/"tokensEnd":\d+/, '"tokensEnd":99999996'),
    '{"tokensEnd":0}',
    last,
  ];
  await writeFile(paths.lines, `${spoilt.join("\n")}\n`);
  const problems: BadRow[] = [];
  const back = await read(directory, { onBadRow: (problem) => problems.push(problem) });
  expect(ids(back)).toEqual(["rollout-0", "rollout-3"]);
  expect(new Set(problems.map(({ line }) => line))).toEqual(new Set([2, 3, 4, 5, 6]));
  expect(await rejection(read(directory))).toMatchObject({ code: "bad-row", at: { file: paths.lines, line: 2 } });
});

test("a last line that cannot be read is kept for a person to mend", async () => {
  const directory = await temporaryFolder();
  const paths = rolloutPaths(directory, 0);
  await write(directory, 0, [rolloutOf(0)]);
  await appendFile(paths.lines, "nonsense\n");
  await appendFile(paths.tokens, "xyz");
  await write(directory, 0, [rolloutOf(1)]);
  const problems: BadRow[] = [];
  expect(await read(directory, { onBadRow: (problem) => problems.push(problem) })).toEqual([
    rolloutOf(0),
    rolloutOf(1),
  ]);
  expect(problems.map(({ line }) => line)).toEqual([2]);
});

test("a rollout that is no data is refused by name, and the others are written", async () => {
  const directory = await temporaryFolder();
  const writer = await openRolloutWriter(directory, 0);
  void writer.write(rolloutOf(0));
  expect(await rejection(writer.write({ ...rolloutOf(1), state: { huge: 1n } }))).toMatchObject({
    code: "bad-row",
    message: expect.stringContaining("rollout-1"),
  });
  await writer.write(rolloutOf(2));
  await writer.flush();
  await writer.close();
  await writer.flush();
  expect(await rejection(writer.write(rolloutOf(3)))).toMatchObject({ code: "closed" });
  expect(await read(directory)).toEqual([rolloutOf(0), rolloutOf(2)]);
});

test.skipIf(!existsSync("/dev/full"))(
  "on a full disk no line outlives its tokens, and every later rollout is refused",
  async () => {
    for (const full of ["tokens", "lines"] as const) {
      const directory = await temporaryFolder();
      const paths = rolloutPaths(directory, 0);
      await mkdir(runPaths(directory).rollouts);
      await symlink("/dev/full", paths[full]);
      const writer = await openRolloutWriter(directory, 0);
      const waiting = writer.write(rolloutOf(0));
      expect(await rejection(waiting)).toMatchObject({ code: "disk", message: expect.stringContaining(paths[full]) });
      expect(await rejection(writer.write(rolloutOf(1)))).toMatchObject({ code: "disk" });
      expect(await rejection(writer.close())).toMatchObject({ code: "disk" });
      expect((await stat(full === "tokens" ? paths.lines : paths.tokens)).size).toBe(0);
    }
  },
);
