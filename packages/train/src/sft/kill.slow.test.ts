// kill -9 at random moments: a run of fine-tuning that was killed ends like one that was not, byte for byte but for times.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom } from "@hone/core";
import { type MetricRow, openRun } from "@hone/store";
import { afterAll, expect, test } from "vitest";
import { toyLines } from "./testing/toy-sft.ts";

const program = fileURLToPath(new URL("../../dist/testing/toy-sft-program.js", import.meta.url));
const wanted = process.env["HONE_FULL"] === undefined ? 8 : 30;
const root = await mkdtemp(join(tmpdir(), "hone-sft-kill-"));
afterAll(() => rm(root, { recursive: true }));
await writeFile(join(root, "data.jsonl"), toyLines(150));

/** True when it ran to its end. */
async function live(directory: string, killAfterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once("exit", (exitCode, by) => resolve([exitCode, by]));
  });
  clearTimeout(timer);
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the run failed: ${errors}`);
  return code === 0;
}

/** What is left of a run but for times: the last row of a step counts. */
async function ended(directory: string): Promise<object> {
  const run = await openRun(directory);
  const last = async (stream: "updates" | "evals"): Promise<unknown[]> => {
    const rows = new Map<number, unknown>();
    for await (const { value } of run.read(stream)) rows.set(value.step, withoutTimes(value));
    return [...rows.values()];
  };
  let checkpoint: unknown;
  for await (const { value } of run.read("checkpoints")) checkpoint = value;
  const names = (await readdir(join(directory, "weights"))).filter((name) => !name.endsWith(".part")).sort();
  const files = [join("model", "policy.toy"), ...names.map((name) => join("weights", name))];
  const hashes = await Promise.all(
    files.map(async (file) => [
      file,
      createHash("sha256")
        .update(await readFile(join(directory, file)))
        .digest("hex"),
    ]),
  );
  return { updates: await last("updates"), evals: await last("evals"), checkpoint, hashes };
}

function withoutTimes(row: MetricRow): unknown {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/second/.test(name)));
}

test(`runs killed ${wanted} times end like one that was not`, async () => {
  const whole = join(root, "whole");
  await live(whole, 60_000);
  const expected = await ended(whole);
  expect(expected).toMatchObject({ checkpoint: { state: { kind: "sft", dropped: 0 } } });
  const random = createRandom(3);
  let kills = 0;
  for (let run = 0; kills < wanted; run++) {
    const directory = join(root, `killed-${run}`);
    let lives = 0;
    while (!(await live(directory, lives++ < 12 ? 250 + random.integer(600) : 60_000))) kills++;
    expect(await ended(directory)).toEqual(expected);
  }
}, 300_000);
