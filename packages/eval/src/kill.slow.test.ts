import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom, type Rollout } from "@hone/core";
import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import type { Evaluation } from "./evaluation.ts";
import { rowsOf, temporaryDirectory, timeless } from "./testing/environments.ts";
import { type Kind, killOptions } from "./testing/kill-program.ts";

const program = fileURLToPath(new URL("../dist/testing/kill-program.js", import.meta.url));

/** Starts the program; with `killAfterRows` it is killed with SIGKILL about so many rows later. Undefined when it was killed. */
async function run(kind: Kind, directory: string, killAfterRows?: number): Promise<Evaluation | undefined> {
  const child = spawn(process.execPath, [program, kind, directory], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  if (killAfterRows !== undefined) {
    const rows = join(directory, "rollouts", "000000.jsonl");
    const bytes = (): number => statSync(rows, { throwIfNoEntry: false })?.size ?? 0;
    const start = bytes();
    while (bytes() < start + killAfterRows * bytesPerRow && child.exitCode === null) await pause(2);
    child.kill("SIGKILL");
  }
  const code = await ended;
  return code === 0 ? (JSON.parse(output) as Evaluation) : undefined;
}

const bytesPerRow = 1_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const scoreOf = ({ group, index, agents }: Rollout) => [`${group}#${index}`, agents[0]?.rewards] as const;

test.each<Kind>(["plain", "compared"])(
  "an evaluation (%s) killed again and again ends with every rollout once and the result of an uninterrupted run",
  async (kind) => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "killed");
    const random = createRandom(`kills of ${kind}`);
    const counts: number[] = [];
    for (let kill = 0; kill < 6; kill++) {
      // 0 rows: killed while it starts, before it has read what is saved.
      const killed = await run(kind, directory, kill === 3 ? 0 : 1 + random.integer(80));
      expect(killed).toBeUndefined();
      counts.push((await rowsOf(directory)).length);
    }
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0);
    expect(counts.at(-1)).toBeLessThan(600);
    const resumed = await run(kind, directory);

    const whole = join(folder.path, "whole");
    const expected = await evaluate({ ...killOptions(kind), directory: whole });
    expect(resumed).toBeDefined();
    expect(resumed && timeless(resumed)).toEqual(timeless(expected));

    const rows = await rowsOf(directory);
    expect(new Set(rows.map(({ group, index }) => `${group}#${index}`)).size).toBe(600);
    // Only a comparison that took in new rollouts may write a row again.
    const repeated = rows.length - 600;
    expect(repeated).toBeGreaterThanOrEqual(0);
    expect(repeated).toBeLessThanOrEqual(kind === "plain" ? 0 : 3 * counts.length);
    const sorted = (all: readonly Rollout[]) => [...new Map(all.map(scoreOf))].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted(rows)).toEqual(sorted(await rowsOf(whole)));

    const tasksOf = async (path: string): Promise<string> => readFile(join(path, "tasks.jsonl"), "utf8");
    expect(await tasksOf(directory)).toBe(await tasksOf(whole));
    expect((await tasksOf(whole)).match(/"gold"/g)).toHaveLength(200);
    expect(existsSync(join(directory, "lock"))).toBe(false);
  },
);
