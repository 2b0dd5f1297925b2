// Folders as people leave them: empty, foreign, half-written, deleted while somebody looks. Each answer says what is the matter.
import { appendFile, mkdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolloutPaths } from "@hone/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApiProblem, RootFacts, RunDetail, RunItem } from "../app/api-types.ts";
import type { RolloutDetail, TokenPage } from "../app/rollout-types.ts";
import { sampleRollout, type SampleRoot, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";
import { createWebServer, type WebServer } from "./create-web-server.ts";
import { follow } from "./feed.ts";
import { RunView } from "./run-view.ts";

let root: SampleRoot;
const servers: WebServer[] = [];
beforeEach(async () => {
  root = await sampleRoot();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await root[Symbol.asyncDispose]();
});
async function serve(path = root.path, port = 0, now: () => number = Date.now): Promise<string> {
  const server = await createWebServer({ root: path, assets: root.assets, port, now });
  servers.push(server);
  return server.url;
}
const json = async <Value>(url: string): Promise<Value> => (await (await fetch(url)).json()) as Value;

test("an empty folder has no runs, and one that is not there is refused with what to do", async () => {
  const url = await serve();
  expect(await json(`${url}api/list/runs`)).toEqual([]);
  expect(await json(`${url}api/root`)).toEqual({
    root: root.path,
    strangers: { runs: { names: [], count: 0 }, evals: { names: [], count: 0 } },
    advice: null,
  });
  await expect(serve(join(root.path, "nowhere"))).rejects.toMatchObject({ code: "no-root" });
  await expect(serve(join(root.assets, "index.html"))).rejects.toThrow("is no folder");
});

test("whoever starts it inside runs/ or inside a run is told the folder that was meant", async () => {
  await using run = await sampleRun(root, "a");
  await run.append("events", { type: "run-start", atMs: 1000, detail: { step: 0 } });
  const advice = async (path: string): Promise<string | null> =>
    (await json<RootFacts>(`${await serve(path)}api/root`)).advice;
  // A run.toml that is yet to be run is no run.
  await writeFile(join(root.path, "run.toml"), 'model = "toy"\n');
  expect(await advice(root.path)).toBeNull();
  expect(await advice(join(root.path, "runs"))).toContain(`hone web --root ${root.path}`);
  expect(await advice(run.directory)).toContain(`hone web --root ${root.path}`);
});

test("what is in runs/ and is no run is named, and hides no run", async () => {
  await using run = await sampleRun(root, "a");
  await run.append("updates", { step: 1, "reward/mean": 1 });
  await mkdir(join(root.path, "runs", "half-made"));
  await writeFile(join(root.path, "runs", "notes.txt"), "mine");
  await writeFile(join(root.path, "runs", ".hidden"), "");
  const url = await serve();
  expect((await json<RunItem[]>(`${url}api/list/runs`)).map(({ name }) => name)).toEqual(["a"]);
  const { strangers } = await json<RootFacts>(`${url}api/root`);
  expect(strangers.runs).toEqual({ names: ["half-made", "notes.txt"], count: 2 });
});

test("lines that are no rows are counted with where they begin, and a torn last line of a run at work is none of them", async () => {
  await using run = await sampleRun(root, "a");
  await run.append("updates", { step: 1, "reward/mean": 0.5 });
  const good = JSON.stringify({ step: 2, "reward/mean": 0.75 });
  await appendFile(join(run.directory, "updates.jsonl"), `not json\n{"step":"two"}\n\n${good}\n{"step":3,"rew`);
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0" })]);
  await appendFile(rolloutPaths(run.directory, 1).lines, "garbage\n");
  const url = await serve();
  const { total } = await json<{ total: number }>(`${url}api/runs/a/rollouts`);
  const { step, problems } = await json<RunDetail>(`${url}api/runs/a`);
  expect([step, total]).toEqual([2, 1]);
  expect(problems).toEqual([
    { file: "updates.jsonl", lines: 2, firstByte: expect.any(Number) as number },
    { file: "rollouts/000001.jsonl", lines: 1, firstByte: expect.any(Number) as number },
  ]);
});

test("a run that is deleted while it is watched is gone, and one made anew under its name is another run", async () => {
  let clock = 0;
  const url = await serve(root.path, 0, () => clock);
  const run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0" }), sampleRollout({ id: "g#1" })]);
  await run.close();
  expect((await json<{ total: number }>(`${url}api/runs/a/rollouts`)).total).toBe(2);
  const view = new RunView(run.directory, "runs", () => 0);
  const stop = new AbortController();
  const states: string[] = [];
  const watching = (async () => {
    for await (const events of follow(view.feed, "0-0-0", stop.signal)) {
      for (const { event, data } of events) {
        if (event === "run") states.push((JSON.parse(data) as { state: string }).state);
      }
      if (states.length === 1) await rm(run.directory, { recursive: true });
      if (states.at(-1) === "gone") return;
    }
  })();
  await watching;
  expect(states.at(-1)).toBe("gone");
  clock += 5000;
  const answer = await fetch(`${url}api/runs/a`);
  const { error, hint } = (await answer.json()) as ApiProblem;
  expect([answer.status, error, hint]).toEqual([
    404,
    'There is no run "a" in runs/.',
    "It may be about to begin, or have been moved or deleted.",
  ]);
  await using again = await sampleRun(root, "a");
  await writeRollouts(again, 2, [sampleRollout({ id: "new#0" })]);
  clock += 5000;
  const { items } = await json<{ items: { id: string }[] }>(`${url}api/runs/a/rollouts`);
  expect(items.map(({ id }) => id)).toEqual(["new#0"]);
});

test("a link to a rollout that was made again leads to it, and one that is gone says why", async () => {
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0" }), sampleRollout({ id: "h#0" })]);
  await writeRollouts(run, 2, [sampleRollout({ id: "g#0", reward: 0.25 })]);
  const url = await serve();
  await json(`${url}api/runs/a/tasks`);
  const { item } = await json<RolloutDetail>(`${url}api/runs/a/rollouts/1/g%230`);
  expect([item.step, item.reward]).toEqual([2, 0.25]);
  const { error, hint } = await json<ApiProblem>(`${url}api/runs/a/rollouts/1/nobody`);
  expect(error).toBe('There is no rollout "nobody" in step 1.');
  expect(hint).toContain("earlier checkpoint");
});

test("how far a run is comes from what it wrote, and what it waits for from what it says", async () => {
  await using run = await sampleRun(root, "a");
  await run.append("events", { type: "run-start", atMs: 1000, detail: {} });
  for (const step of [1, 2, 3]) await run.append("updates", { step, "step/seconds": 2 * step });
  const url = await serve();
  const { pace } = await json<RunDetail>(`${url}api/runs/a`);
  expect(pace).toMatchObject({ done: 3, planned: 20, workedMs: 12_000, unitMs: 4000, longestMs: 6000, stall: null });
  const atMs = Date.now() + 60_000;
  await run.append("events", { type: "stall", atMs, detail: { message: "3 rollouts wait for the model." } });
  expect((await json<RunDetail>(`${url}api/runs/a`)).pace.stall).toBe("3 rollouts wait for the model.");
  await run.append("updates", { step: 4, "step/seconds": 2 });
  await utimes(join(run.directory, "updates.jsonl"), (atMs + 1000) / 1000, (atMs + 1000) / 1000);
  expect((await json<RunDetail>(`${url}api/runs/a`)).pace.stall).toBeNull();
});

test("an evaluation counts its rollouts while they come", async () => {
  await using run = await sampleRun(root, "e", "evals");
  await writeFile(join(run.directory, "run.toml"), 'env = "words"\nmodel = "toy"\nnum_tasks = 4\ngroup_size = 2\n');
  await writeRollouts(run, 0, [sampleRollout({ id: "g#0" }), sampleRollout({ id: "g#1" })]);
  const { pace } = await json<RunDetail>(`${await serve()}api/evals/e`);
  expect(pace).toMatchObject({ done: 2, planned: 8, unitMs: null });
});

test("a port that is in use is said to be, and two servers of one folder do not mind each other", async () => {
  const first = await serve();
  const busy = serve(root.path, Number(new URL(first).port));
  await expect(busy).rejects.toMatchObject({
    code: "listen",
    hint: expect.stringContaining("Another program") as string,
  });
  await using run = await sampleRun(root, "a");
  await run.append("updates", { step: 1, "reward/mean": 1 });
  const second = await serve();
  for (const url of [first, second]) expect(await json(`${url}api/list/runs`)).toHaveLength(1);
});

test("tokens that were recorded and are gone are told from tokens that never were", async () => {
  await using run = await sampleRun(root, "a");
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0", tokens: true }), sampleRollout({ id: "h#0" })]);
  const url = await serve();
  const tokens = async (id: string) => json<TokenPage>(`${url}api/runs/a/rollouts/1/${id}%230/tokens`);
  expect(await tokens("g")).toMatchObject({ nodes: [{ node: 1 }], lost: 0 });
  await truncate(rolloutPaths(run.directory, 1).tokens, 3);
  expect([await tokens("g"), await tokens("h")]).toMatchObject([
    { nodes: [], lost: 1 },
    { nodes: [], lost: 0 },
  ]);
});

test("replies that are right come with a rollout, where they were recorded", async () => {
  await using run = await sampleRun(root, "a");
  const row = { env: "words", task: { id: "task of g" }, hash: "0", gold: ["yes", "and no"] };
  await appendFile(join(run.directory, "tasks.jsonl"), `${JSON.stringify(row)}\n`);
  await writeRollouts(run, 1, [sampleRollout({ id: "g#0" }), sampleRollout({ id: "h#0" })]);
  const url = await serve();
  const gold = async (id: string) => (await json<RolloutDetail>(`${url}api/runs/a/rollouts/1/${id}%230`)).gold;
  expect([await gold("g"), await gold("h")]).toEqual([["yes", "and no"], null]);
});
