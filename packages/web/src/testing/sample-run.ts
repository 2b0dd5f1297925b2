// Run directories for tests, written with the store's own writers: whatever a real run looks like on disk, these look the same.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GroupId, Message, Rollout, RolloutId, TaskId } from "@hone/core";
import { createRun, openRolloutWriter, type RunWriter } from "@hone/store";

export interface SampleRoot extends AsyncDisposable {
  /** Holds `runs/` and `evals/`. */
  readonly path: string;
  readonly assets: string;
}

export async function sampleRoot(): Promise<SampleRoot> {
  const path = await mkdtemp(join(tmpdir(), "hone-web-"));
  const assets = join(path, "assets");
  await mkdir(assets);
  await writeFile(join(assets, "index.html"), "<!doctype html><title>Hone</title>");
  return { path, assets, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export function sampleRun(root: SampleRoot, name: string, kind: "runs" | "evals" = "runs"): Promise<RunWriter> {
  return createRun(join(root.path, kind, name), {
    config: 'model = "toy"\nmax_steps = 20\nenv = "words"\n\n[[env]]\nid = "words"\n',
  });
}

interface SampleRollout {
  readonly id: string;
  readonly reward?: number | null;
  readonly reply?: string;
  readonly messages?: readonly Message[];
  readonly tokens?: boolean;
  readonly change?: Partial<Rollout>;
}

export function sampleRollout({ id, reward = 1, reply = "fine", messages, tokens, change }: SampleRollout): Rollout {
  const said: readonly Message[] = messages ?? [
    { role: "user", content: "Say something." },
    { role: "assistant", content: reply },
  ];
  return {
    id: id as RolloutId,
    group: (id.split("#")[0] ?? id) as GroupId,
    index: Number(id.split("#")[1] ?? 0),
    attempt: 0,
    seed: 1,
    env: "words",
    envVersion: "1.0.0",
    taskId: `task of ${id.split("#")[0]}` as TaskId,
    taskHash: "0",
    agents: [
      {
        name: "agent",
        trainable: true,
        model: "toy",
        reward,
        rewards: reward === null ? {} : { right: { value: reward, weight: 1 } },
        metrics: { turns: 1 },
      },
    ],
    nodes: said.map((message, index) => ({
      parent: index === 0 ? null : index - 1,
      agent: "agent",
      message,
      sampled: message.role === "assistant",
      ...(tokens === true && message.role === "assistant"
        ? {
            tokens: {
              ids: Int32Array.of(7, 8, 104, 105),
              sampledFrom: 2,
              logprobs: Float32Array.of(-0.01, -3),
              policyVersion: { values: [4], lengths: [2] },
            },
          }
        : {}),
    })),
    calls: [],
    state: {},
    stop: { type: "answered" },
    truncated: false,
    timing: { startedAtMs: 1000, durationMs: 20, setupMs: 1, modelMs: 10, scoringMs: 2 },
    info: {},
    ...change,
  };
}

export async function writeRollouts(run: RunWriter, step: number, rollouts: readonly Rollout[]): Promise<void> {
  await using writer = await openRolloutWriter(run.directory, step, { fsync: "never" });
  for (const rollout of rollouts) await writer.write(rollout);
}
