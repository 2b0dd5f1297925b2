// kill -9 at random moments. Promise (c): a synchronous run that was killed ends like one that was not, byte for byte but for times.
// Promise (a): every group of an asynchronous run ends in exactly one outcome, and no sample enters the surviving weights twice.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom, type Rollout, Sample } from "@hone/core";
import { type LedgerRow, type MetricRow, openRun } from "@hone/store";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";

const program = fileURLToPath(new URL("../dist/testing/toy-program.js", import.meta.url));
const isFull = process.env["HONE_FULL"] !== undefined;
const root = await mkdtemp(join(tmpdir(), "hone-kill-"));
afterAll(() => rm(root, { recursive: true }));

/** True when it ran to its end. */
async function live(directory: string, lead: number, killAfterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, directory, String(lead)], { stdio: ["ignore", "ignore", "pipe"] });
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

/** Lives of one run until it ends; returns how often it was killed. */
async function killed(directory: string, lead: number, seed: number): Promise<number> {
  const random = createRandom(seed);
  for (let kills = 0; ; kills++) {
    if (await live(directory, lead, kills < 12 ? 250 + random.integer(450) : 60_000)) return kills;
  }
}

interface Ended {
  readonly updates: unknown;
  readonly ledger: ReadonlyMap<string, LedgerRow>;
  readonly samples: ReadonlyMap<number, readonly Sample[]>;
  readonly rollouts: ReadonlyMap<string, unknown>;
  readonly weights: string;
}

async function ended(directory: string): Promise<Ended> {
  const run = await openRun(directory);
  const updates = new Map<number, unknown>();
  for await (const { value } of run.read("updates")) updates.set(value.step, withoutTimes(value));
  const ledger = new Map<string, LedgerRow>();
  for await (const { value } of run.read("groups")) ledger.set(value.group, value);
  const samples = new Map<number, Sample[]>();
  // A kill while a file was being written leaves its temporary, which no reader takes for samples.
  const names = (await readdir(join(directory, "samples"))).filter((name) => /^\d+\.jsonl$/.test(name));
  for (const name of names.sort()) {
    const lines = (await readFile(join(directory, "samples", name), "utf8")).split("\n").filter(Boolean);
    samples.set(
      Number.parseInt(name, 10),
      lines.map((line) => z.decode(Sample, JSON.parse(line))),
    );
  }
  const rollouts = new Map<string, unknown>();
  for await (const rollout of run.rollouts()) rollouts.set(rollout.id, timeless(rollout));
  const weights = createHash("sha256")
    .update(await readFile(join(directory, "weights", "000010")))
    .digest("hex");
  return { updates: [...updates.values()], ledger, samples, rollouts, weights };
}

function withoutTimes(row: MetricRow): unknown {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.endsWith("seconds")));
}

function timeless({ timing: _timing, calls, ...rest }: Rollout): unknown {
  return { ...rest, calls: calls.map(({ startedAtMs: _at, durationMs: _for, ...call }) => call) };
}

test(`(c) synchronous runs killed ${isFull ? 50 : 10} times end like one that was not`, async () => {
  const whole = join(root, "whole");
  await live(whole, 0, 60_000);
  const expected = await ended(whole);
  let kills = 0;
  for (let run = 0; kills < (isFull ? 50 : 10); run++) {
    const directory = join(root, `sync-${run}`);
    kills += await killed(directory, 0, run);
    const { updates, ledger, samples, rollouts, weights } = await ended(directory);
    expect(updates).toEqual(expected.updates);
    expect(weights).toBe(expected.weights);
    expect(ledger).toEqual(expected.ledger);
    expect(samples).toEqual(expected.samples);
    expect(rollouts).toEqual(expected.rollouts);
  }
}, 600_000);

test(`(a) asynchronous runs killed ${isFull ? 20 : 5} times count every group once`, async () => {
  let kills = 0;
  for (let run = 0; kills < (isFull ? 20 : 5); run++) {
    const directory = join(root, `async-${run}`);
    kills += await killed(directory, 1, 100 + run);
    const { ledger, samples } = await ended(directory);
    const trained = new Set([...ledger.values()].flatMap((row) => (row.outcome === "trained" ? row.rollouts : [])));
    const used = [...samples.values()].flat().map(({ rollout }) => rollout);
    expect(new Set(used).size).toBe(used.length);
    expect(used.filter((id) => !trained.has(id))).toEqual([]);
    expect([...samples.keys()]).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
  }
}, 600_000);
