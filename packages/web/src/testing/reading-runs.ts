// Runs and evaluations to read in a browser: a judged answer, pictures, tokens with credit, a task of several steps, long texts and hostile ones.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Sample, samplesOf } from "@hone/core";
import { samplesPath } from "@hone/store";
import * as z from "zod";
import { sampleRollout, type SampleRoot, sampleRun, writeRollouts } from "./sample-run.ts";

/** What a model may write to break a page. */
const hostile = [
  "<script>window.hacked = 1</script>",
  '<img src=x onerror="window.hacked = 2">',
  '<iframe src="https://example.com/"></iframe>',
  "[link](javascript:window.hacked=3) ![picture](https://example.com/x.png)",
  "**bold** <a href='javascript:window.hacked = 4'>click</a>",
  "```html\n<svg onload=window.hacked=5>\n```",
  "access\u202Etxt.exe \u0000 \u001B[31m",
].join("\n\n");
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const longLength = 10_000_000;
/** The same pixel, with so much behind its end that the page is sent the beginning only. */
const largePicture = (): string => {
  const bytes = Buffer.concat([Buffer.from(pixel.split(",")[1] ?? "", "base64"), Buffer.alloc(90_000)]);
  return `data:image/png;base64,${bytes.toString("base64")}`;
};

export async function writeReading(root: SampleRoot): Promise<void> {
  const run = await sampleRun(root, "sample");
  await run.append("events", { type: "run-start", atMs: 1000, detail: { step: 0 } });
  await run.append("events", { type: "note", atMs: 1500, detail: hostile });
  await run.append("tasks", {
    env: "words",
    task: { id: "task of judged", question: "What is the capital?", answer: "Paris" },
    hash: "0",
  } as never);
  const program = (body: string): string =>
    `\`\`\`python\ndef f(values):\n    best = 0\n${body}    return best\n\`\`\``;
  for (const [id, gold] of Object.entries({
    coded: [program("    for value in values:\n        best += value\n")],
    sorted: ["<sorted>Ada Bo</sorted>", "<sorted>Ada Bo Cy</sorted>", "<sorted>Ada Al Bo Cy</sorted>"],
  })) {
    await run.append("tasks", { env: "words", task: { id: `task of ${id}` }, hash: "0", gold } as never);
  }
  const same = { taskId: "task of many" } as never;
  await writeRollouts(run, 1, [
    sampleRollout({ id: "old#0", reward: 0.8, reply: "from an earlier step", change: same }),
    sampleRollout({ id: "early#0" }),
  ]);
  const many = [0.5, 0, 1].map((reward, index) =>
    sampleRollout({ id: `many#${index}`, reward, tokens: true, ...(index === 1 ? { reply: "a needle" } : {}) }),
  );
  const reply = "So it is \\boxed{Lyon4}.";
  await writeRollouts(run, 2, [
    ...many,
    sampleRollout({ id: "needle-a#0", reply: "another needle" }),
    sampleRollout({ id: "needle-b#0", reply: "the last needle" }),
    sampleRollout({ id: "hostile#0", reply: hostile, tokens: true }),
    sampleRollout({ id: "coded#0", reply: `So:\n${program("    for value in values:\n        best = value\n")}` }),
    sampleRollout({
      id: "sorted#0",
      messages: [
        { role: "user", content: "Bo, Ada" },
        { role: "assistant", content: "<sorted>Ada Bo</sorted>" },
        { role: "user", content: "and Cy" },
        { role: "assistant", content: "<sorted>Cy Ada Bo</sorted>" },
      ],
    }),
    sampleRollout({ id: "long#0", reply: "x".repeat(longLength) }),
    sampleRollout({
      id: "turns#0",
      messages: Array.from({ length: 80 }, (_, index) =>
        index % 2 === 1
          ? ({ role: "user", content: `question ${index >> 1}` } as const)
          : ({ role: "assistant", content: `reply ${index >> 1}. ${"Some more words. ".repeat(20)}` } as const),
      ),
    }),
    sampleRollout({
      id: "pictures#0",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look:" },
            { type: "image", url: pixel },
            { type: "image", url: largePicture() },
            { type: "image", url: "https://example.com/track.png" },
          ],
        },
        { role: "assistant", content: "Three pictures." },
      ],
    }),
    sampleRollout({
      id: "judged#0",
      reward: 0.75,
      messages: [
        { role: "user", content: "What is the capital?" },
        { role: "assistant", content: reply },
      ],
      change: {
        agents: [
          {
            name: "agent",
            trainable: true,
            model: "toy",
            reward: 0.75,
            rewards: { right: { value: 0.5, weight: 2 }, brief: { value: -0.25, weight: 1 } },
            metrics: { turns: 1 },
          },
        ],
        calls: [
          {
            node: 1,
            endpoint: "toy",
            sampling: {},
            usage: { inputTokens: 5, outputTokens: 7 },
            finish: "stop",
            startedAtMs: 1001,
            durationMs: 8,
          },
        ],
        info: {
          judges: {
            right: {
              judge: "toy",
              prompt: "Is Lyon4 the capital?",
              verdict: "0.5",
              value: 0.5,
              attempts: 1,
              usage: {},
            },
          },
        },
      },
    }),
  ]);
  await mkdir(dirname(samplesPath(run.directory, 2, "jsonl")), { recursive: true });
  const samples = samplesOf(many[0]!).map((sample) => ({
    ...sample,
    weight: sample.weight.map((weight) => weight / 4),
    advantage: sample.weight.map((weight) => weight * -1.5),
  }));
  const lines = samples.map((sample) => `${JSON.stringify(z.encode(Sample, sample))}\n`);
  await writeFile(samplesPath(run.directory, 2, "jsonl"), lines.join(""));
  await run.append("events", { type: "run-end", atMs: 2000, detail: { why: "stopped" } });
  await run.close();
  const large = await sampleRun(root, "large");
  await writeFile(
    `${large.directory}/run.toml`,
    'model = "toy"\nmax_steps = 9\nenv = "words"\n\n[[env]]\nid = "words"\n',
  );
  await writeRollouts(
    large,
    1,
    Array.from({ length: 3000 }, (_, index) =>
      sampleRollout({ id: `g${index >> 3}#${index & 7}`, reply: `reply ${index}` }),
    ),
  );
  await large.close();
  await writeEvaluation(root, "words--toy--1", "toy", [
    sampleRollout({ id: "a#0" }),
    sampleRollout({ id: "a#1", reward: 0 }),
    sampleRollout({ id: "b#0", reply: "before it was right" }),
  ]);
  await writeEvaluation(root, "words--other--2", "other", [
    sampleRollout({ id: "a#0" }),
    sampleRollout({ id: "b#0", reward: 0, reply: "after it was wrong" }),
  ]);
}

async function writeEvaluation(
  root: SampleRoot,
  name: string,
  model: string,
  rollouts: readonly ReturnType<typeof sampleRollout>[],
): Promise<void> {
  await using run = await sampleRun(root, name, "evals");
  await writeFile(`${run.directory}/run.toml`, `model = "${model}"\nenv = "words"\n`);
  await run.append("events", { type: "evaluation-end", atMs: 1000, detail: {} });
  const passes = { "pass@1": 0.6, "pass^1": 0.6, "pass@2": 0.9, "pass^2": 0.3 };
  const counts = { n: rollouts.length, tasks: 2, failed: 0 };
  await run.append("evals", {
    step: 0,
    env: "words",
    model,
    ...counts,
    "reward/mean": 0.6,
    "reward/ci95": [0.4, 0.8],
    ...passes,
  });
  await writeRollouts(run, 0, rollouts);
}
