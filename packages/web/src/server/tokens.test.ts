import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Rollout, Sample, samplesOf } from "@hone/core";
import { rolloutPaths, samplesPath } from "@hone/store";
import { expect, test } from "vitest";
import * as z from "zod";
import { sampleRollout, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";
import { readTokens } from "./read-tokens.ts";
import { RolloutIndex } from "./rollout-index.ts";
import { SampleIndex } from "./sample-index.ts";
import { creditByNode } from "./token-credit.ts";

const plain = { bookedIn: () => undefined, tokenTexts: undefined };

/** As a run writes them: weight and advantage on what was sampled. */
async function writeSamples(directory: string, step: number, samples: readonly Sample[], after = ""): Promise<void> {
  const path = samplesPath(directory, step, "jsonl");
  await mkdir(dirname(path), { recursive: true });
  const lines = samples.map((sample) => `${JSON.stringify(z.encode(Sample, sample))}\n`);
  await writeFile(path, lines.join("") + after);
}
function credited(rollout: Rollout, advantage: number): Sample[] {
  return samplesOf(rollout).map((sample) => ({
    ...sample,
    weight: sample.weight.map((weight) => weight / 2),
    advantage: sample.weight.map((weight) => weight * advantage),
  }));
}

test("tokens come with their texts, their policy and the credit that an update gave them", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const rollouts = ["g#0", "g#1", 'odd "name" \\#0'].map((id) => sampleRollout({ id, tokens: true }));
  await writeRollouts(run, 3, rollouts);
  await writeSamples(
    run.directory,
    4,
    rollouts.flatMap((rollout, index) => credited(rollout, index - 0.5)),
  );
  const index = new RolloutIndex(run.directory, () => 0);
  const tokenTexts = (_model: string, ids: Int32Array): string[] => [...ids].map((id) => String.fromCodePoint(id));
  const sources = { samples: new SampleIndex(run.directory), bookedIn: () => 4, tokenTexts };
  for (const [at, { id }] of rollouts.entries()) {
    const page = await readTokens(run.directory, { index, step: 3, id }, sources);
    expect(page).toEqual({
      trainedIn: 4,
      lost: 0,
      nodes: [
        {
          node: 1,
          tokens: {
            ids: [7, 8, 104, 105],
            sampledFrom: 2,
            logprobs: [-0.01, -3],
            versions: { values: [4], lengths: [2] },
            texts: ["\u0007", "\b", "h", "i"],
            credit: { advantages: [at - 0.5, at - 0.5], weights: [0.5, 0.5] },
          },
        },
      ],
    });
  }
});

test("without samples there is no credit, and a line that is no sample hides no other", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const rollouts = ["g#0", "g#1"].map((id) => sampleRollout({ id, tokens: true }));
  await writeRollouts(run, 1, rollouts);
  const index = new RolloutIndex(run.directory, () => 0);
  const sources = { ...plain, samples: new SampleIndex(run.directory) };
  const read = (id: string) => readTokens(run.directory, { index, step: 1, id }, sources);
  expect(await read("g#0")).toMatchObject({ trainedIn: null });
  await writeSamples(
    run.directory,
    1,
    credited(rollouts[1]!, 2),
    '{"id":"x","rollout":"g#0","tokens":5}\nnot json\n{"id":"to',
  );
  expect(await read("g#0")).toMatchObject({ trainedIn: null });
  expect((await read("g#1")).nodes[0]?.tokens.credit?.advantages).toEqual([2, 2]);
});

test("a file of samples that was written again is read again", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const rollout = sampleRollout({ id: "g#0", tokens: true });
  const samples = new SampleIndex(run.directory);
  await writeSamples(run.directory, 1, credited(rollout, 1));
  expect((await samples.of(1, "g#0"))[0]?.advantage[3]).toBe(1);
  await writeSamples(run.directory, 1, [
    ...credited(sampleRollout({ id: "f#0", tokens: true }), 1),
    ...credited(rollout, -1),
  ]);
  expect((await samples.of(1, "g#0"))[0]?.advantage[3]).toBe(-1);
  expect(await samples.of(2, "g#0")).toEqual([]);
});

test("credit lands on the messages of each branch, and nowhere when the tokens are others", () => {
  const tokens = (ids: readonly number[]) => ({
    ids: Int32Array.from(ids),
    sampledFrom: 1,
    logprobs: Float32Array.from(ids.slice(1), () => -1),
    policyVersion: { values: [0], lengths: [ids.length - 1] },
  });
  const say = (parent: number | null, ids: readonly number[]): Rollout["nodes"][number] => ({
    parent,
    agent: "agent",
    message: { role: "assistant", content: "" },
    sampled: true,
    tokens: tokens(ids),
  });
  const rollout = sampleRollout({
    id: "g#0",
    change: { nodes: [say(null, [1, 2, 3]), say(0, [4, 5]), say(0, [6, 7, 8])] },
  });
  const samples = samplesOf(rollout).map((sample, branch) => ({
    ...sample,
    advantage: sample.weight.map((weight) => weight * (branch + 1)),
  }));
  const credit = creditByNode(rollout.nodes, samples);
  expect([...credit].map(([node, { advantages }]) => [node, advantages])).toEqual([
    [0, [1, 1]],
    [1, [1]],
    [2, [2, 2]],
  ]);
  const others = samples.map((sample) => ({ ...sample, tokens: sample.tokens.map((id) => id + 1) }));
  expect(creditByNode(rollout.nodes, others).size).toBe(0);
  const cut = samples.map((sample) => ({
    ...sample,
    tokens: sample.tokens.slice(0, 4),
    weight: sample.weight.slice(0, 4),
    advantage: sample.advantage.slice(0, 4),
  }));
  expect(creditByNode(rollout.nodes, cut).get(2)?.advantages).toEqual([]);
});

test("without its token file a rollout has no tokens", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0" })]);
  const line = { ...sampleRollout({ id: "g#1" }), tokensEnd: 32 };
  const tokens = { at: 0, ids: 4, sampledFrom: 2, logprobs: 2, policyVersion: { values: [0], lengths: [2] } };
  const nodes = line.nodes.map((node) => (node.sampled ? { ...node, tokens } : node));
  await appendFile(rolloutPaths(run.directory, 1).lines, `${JSON.stringify({ ...line, nodes })}\n`);
  const index = new RolloutIndex(run.directory, () => 0);
  const sources = { ...plain, samples: new SampleIndex(run.directory) };
  expect(await readTokens(run.directory, { index, step: 1, id: "g#1" }, sources)).toEqual({
    nodes: [],
    lost: 1,
    trainedIn: null,
  });
});
