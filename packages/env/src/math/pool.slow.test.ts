import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import type { ScoreReward } from "../reward/reward.ts";
import { MathPool } from "./pool.ts";
import { MathRubric } from "./rubric.ts";

/** Spins on "spin", dies on "die", and says "equal" to everything else. */
const program = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ answer }) => {
    if (answer === "spin") for (;;);
    if (answer === "die") process.exit(3);
    if (answer === "throw") throw new Error("broken");
    parentPort.postMessage(true);
  });
`;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function poolOf(workers: number, timeoutMs: number): Promise<MathPool> {
  const folder = await mkdtemp(join(tmpdir(), "hone-math-"));
  folders.push(folder);
  const file = join(folder, "worker.mjs");
  await writeFile(file, program);
  return new MathPool({ workers, timeoutMs, program: file });
}

const job = (answer: string): { answer: string; gold: string; options: object } => ({ answer, gold: "1", options: {} });

test("a worker that takes too long is killed and replaced, and its answer counts as not equal", async () => {
  await using pool = await poolOf(1, 300);
  const results = await Promise.all(
    ["fine", "spin", "fine", "spin", "fine"].map((answer) => pool.compare(job(answer))),
  );
  expect(results).toEqual([true, false, true, false, true]);
  expect(pool.size).toBe(1);
});

test("a worker that dies or throws is replaced", async () => {
  await using pool = await poolOf(2, 5000);
  const results = await Promise.all(
    ["die", "fine", "throw", "fine", "die", "fine"].map((answer) => pool.compare(job(answer))),
  );
  expect(results).toEqual([false, true, false, true, false, true]);
});

test("no more workers are started than asked for", async () => {
  await using pool = await poolOf(2, 5000);
  await Promise.all(Array.from({ length: 20 }, () => pool.compare(job("fine"))));
  expect(pool.size).toBe(2);
});

test("disposing ends what is under way, and the pool can be used again", async () => {
  const pool = await poolOf(1, 60_000);
  const running = [pool.compare(job("spin")), pool.compare(job("fine"))];
  await new Promise((resolve) => setTimeout(resolve, 200));
  await pool[Symbol.asyncDispose]();
  expect(await Promise.all(running)).toEqual([false, false]);
  expect(pool.size).toBe(0);
  expect(await pool.compare(job("fine"))).toBe(true);
  await pool[Symbol.asyncDispose]();
});

test("the rubric compares long answers in its own workers, with its options", async () => {
  await using rubric = new MathRubric({ percent: "lenient" });
  const { score } = rubric.rewards["correct"] as ScoreReward<{ task: { answer: string }; reply: string }>;
  const sum = (count: number): string => Array.from({ length: count }, (_, index) => `x^{${index}}`).join("+");
  const turned = Array.from({ length: 200 }, (_, index) => `x^{${199 - index}}`).join("+");
  expect(await score({ task: { answer: sum(200) }, reply: `\\boxed{${turned}}` })).toBe(true);
  expect(await score({ task: { answer: sum(200) }, reply: `\\boxed{${sum(201)}}` })).toBe(false);
  expect(await score({ task: { answer: "28" }, reply: `\\boxed{28\\%${" ".repeat(600)}}` })).toBe(true);
});

test("an idle pool does not keep the process alive", async () => {
  const script = `
    import { MathRubric } from ${JSON.stringify(new URL("../../dist/math/index.js", import.meta.url).href)};
    const rubric = new MathRubric();
    const answer = "1+".repeat(1000) + "1";
    console.log(await rubric.rewards.correct.score({ task: { answer: "1001" }, reply: "\\\\boxed{" + answer + "}" }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 20_000,
  });
  expect(stdout.trim()).toBe("true");
});
