// The runs that browser tests look at: one that was trained, with rollouts of every kind, and an evaluation.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { GroupId } from "@hone/core";
import { sampleRollout, type SampleRoot, sampleRun, writeRollouts } from "./sample-run.ts";

/** What a model may write to break a page. */
const hostile = [
  "<script>window.hacked = 1</script>",
  '<img src=x onerror="window.hacked = 2">',
  '<iframe src="https://example.com/"></iframe>',
  '<a href="javascript:window.hacked = 3">click</a>',
  "[link](javascript:window.hacked=4) ![picture](https://example.com/x.png)",
  "<style>body { display: none }</style>",
  "</div></main><svg onload=window.hacked=5>",
  "access\u202Etxt.exe \u0000 \u001B[31m",
].join("\n");

export async function writeTrained(root: SampleRoot): Promise<void> {
  await using run = await sampleRun(root, "sample");
  for (const step of ["000011", "000012"]) {
    await mkdir(join(run.directory, "weights", step), { recursive: true });
  }
  await run.append("events", { type: "run-start", atMs: 1000, detail: { step: 0 } });
  for (let step = 1; step <= 12; step++) {
    await run.append("updates", {
      step,
      "reward/mean": step / 12,
      "reward/words/mean": step / 12,
      "reward/words/right": step / 24,
      "reward/words/brief": 1 - step / 24,
      "reward/words/histogram": [12 - step, 0, 0, 0, 0, 0, 0, 0, 0, step],
      "task/words/pool_easy": step,
      "task/words/pool_normal": 20 - step,
      "task/trained": 6 - (step % 3),
      "rollout/words/turns": 1 + (step % 2),
      "sample/tokens": 1000 + step,
      "update/loss": 1 / step,
      "update/entropy": 1 / step,
    });
  }
  await run.append("evals", { step: 0, env: "words", "reward/mean": 0.1, "reward/ci95": [0.05, 0.15] });
  const failed = {
    failure: { boundary: "tool", code: "timeout", message: "the tool took too long", isRetryable: true },
    stop: { type: "failed" },
  } as const;
  const stale = {
    group: "many" as GroupId,
    env: "words",
    rollouts: [],
    outcome: "stale",
    step: 2,
    attempt: 0,
  } as const;
  await run.append("groups", stale);
  await writeRollouts(run, 1, [sampleRollout({ id: "early#0" })]);
  await writeRollouts(run, 2, [
    sampleRollout({ id: "many#0", reward: 0.5, tokens: true }),
    sampleRollout({ id: "many#1", reward: 0, tokens: true }),
    sampleRollout({ id: "many#2", reward: 1, tokens: true }),
    sampleRollout({ id: "hostile#0", reply: hostile, tokens: true }),
    sampleRollout({ id: "long#0", reply: "x".repeat(1_000_000) }),
    sampleRollout({ id: "failed#0", reward: null, change: failed }),
    sampleRollout({
      id: "tools#0",
      messages: [
        { role: "system", content: "You may look around." },
        { role: "user", content: "Where is it?" },
        {
          role: "assistant",
          content: "",
          reasoning: "I should look first.",
          toolCalls: [{ id: "1", name: "look", arguments: '{"place":"mat"}' }],
        },
        { role: "tool", toolCallId: "1", content: "a key" },
        { role: "assistant", content: "The golden key is under the mat." },
      ],
    }),
  ]);
  await using evaluation = await sampleRun(root, "words--toy--1", "evals");
  await evaluation.append("events", { type: "evaluation-end", atMs: 1000, detail: {} });
  await evaluation.append("evals", {
    step: 0,
    env: "words",
    model: "toy",
    n: 2,
    tasks: 1,
    failed: 0,
    "reward/mean": 0.5,
    "reward/ci95": [0.2, 0.8],
    "pass@1": 0.5,
    "pass^1": 0.5,
  });
  await writeRollouts(evaluation, 0, [sampleRollout({ id: "a#0" }), sampleRollout({ id: "a#1", reward: 0 })]);
}
