import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resumeRun } from "../run-directory.ts";
import { MlflowServer } from "./testing/mlflow-server.ts";
import { eventually, follow, newRun } from "./testing/followed-run.ts";
import { keyOf } from "./mlflow.ts";

const configFor = (server: { readonly uri: string }): object => ({
  mlflow: { trackingUri: server.uri, experiment: "tiny runs" },
});

test("a run appears with its settings, its metrics and how it ended", async () => {
  await using server = await MlflowServer.start();
  await using run = await newRun();
  const followed = await follow(run.directory, configFor(server));
  await run.append("updates", { step: 1, "reward/mean": 0.25, "update/loss": Number.NaN });
  await run.append("evals", { step: 1, env: "words", "pass@4": 1, "pass^4": 0, "reward/ci95": [0, 1] });
  await run.append("events", { type: "run-end", atMs: 5, detail: { step: 1, why: "done" } });
  await followed[Symbol.asyncDispose]();
  expect(server.experiments).toEqual(["tiny runs"]);
  expect(server.runs).toMatchObject([{ name: "first", status: "FINISHED" }]);
  expect(server.runs[0]?.params).toEqual({
    model: "hone/tiny",
    seed: "7",
    "optimizer.learning_rate": "0.001",
    "env.0.id": "words",
  });
  expect(server.runs[0]?.metrics.map(({ key, value, step }) => [key, value, step])).toEqual([
    ["reward/mean", 0.25, 1],
    ["update/loss", "NaN", 1],
    ["eval/words/pass_at_4", 1, 1],
    ["eval/words/pass_hat_4", 0, 1],
    ["eval/words/reward/ci95/low", 0, 1],
    ["eval/words/reward/ci95/high", 1, 1],
  ]);
  expect(followed.notices).toEqual([
    { sink: "mlflow", level: "info", message: `${server.uri}/#/experiments/0/runs/run-0` },
  ]);
});

test("a resumed run continues the same one; how it ended is said each time", async () => {
  await using server = await MlflowServer.start();
  const first = await newRun();
  const before = await follow(first.directory, configFor(server));
  await first.append("updates", { step: 1, x: 1 });
  await first.append("events", { type: "run-end", atMs: 1, detail: { why: "stopped" } });
  await before[Symbol.asyncDispose]();
  await first.close();
  expect(server.runs.map(({ status }) => status)).toEqual(["KILLED"]);

  await using second = await resumeRun(first.directory);
  await second.append("events", { type: "run-start", atMs: 2, detail: {} });
  await writeFile(join(first.directory, "run.toml"), "seed = 8\nmax_steps = 40\n");
  const after = await follow(first.directory, configFor(server));
  await second.append("updates", { step: 2, x: 1 });
  await eventually(() => server.steps("x").length === 2);
  expect(server.runs.map(({ status }) => status)).toEqual(["RUNNING"]);
  await after[Symbol.asyncDispose]();
  expect(server.runs.map(({ status }) => status)).toEqual(["FAILED"]);
  expect(server.steps("x")).toEqual([1, 2]);
  expect(server.runs[0]?.params).toMatchObject({ seed: "7", max_steps: "40" });
});

test("answers that get lost leave one run and no point twice", async () => {
  await using server = await MlflowServer.start();
  const lost = new Set<string>();
  server.trouble = (path) => {
    if (lost.has(path)) return 200;
    lost.add(path);
    return "lost";
  };
  await using run = await newRun();
  await run.append("updates", { step: 1, x: 1 });
  await run.append("events", { type: "run-end", atMs: 1, detail: { why: "done" } });
  await (await follow(run.directory, configFor(server)))[Symbol.asyncDispose]();
  expect(lost.size).toBe(6);
  expect(server.runs.map(({ status }) => status)).toEqual(["FINISHED"]);
  expect(server.steps("x")).toEqual([1]);
});

test("a batch that was on its way when the run was killed is sent again unchanged, and superseded steps anew", async () => {
  await using server = await MlflowServer.start();
  await using run = await newRun();
  await run.append("updates", { step: 1, x: 1 });
  await (await follow(run.directory, configFor(server), { now: () => 1000 }))[Symbol.asyncDispose]();
  // As a kill leaves it: the batch arrived, its arrival was not noted.
  const path = join(run.directory, "sinks.json");
  const { mlflow } = JSON.parse(await readFile(path, "utf8")) as { mlflow: { bytes: { updates: number } } };
  const sending = { stream: "updates", untilByte: mlflow.bytes.updates, seenByte: mlflow.bytes.updates, atMs: 1000 };
  const killed = { mlflow: { ...mlflow, points: 0, bytes: { updates: 0, evals: 0 }, sending } };
  await writeFile(path, JSON.stringify(killed));
  await run.append("updates", { step: 1, x: 2 });
  await (await follow(run.directory, configFor(server)))[Symbol.asyncDispose]();
  expect(server.runs[0]?.metrics.map(({ value, step }) => [value, step])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test("a server that is away is waited for; one that stays away costs the deadline and a notice", async () => {
  const gone = await MlflowServer.start();
  const { port } = gone;
  await gone[Symbol.asyncDispose]();
  await using run = await newRun();
  await run.append("updates", { step: 1, x: 1 });
  const config = configFor({ uri: `http://127.0.0.1:${port}` });
  const hopeless = await follow(run.directory, config, { deadlineMs: 50 });
  await hopeless[Symbol.asyncDispose]();
  expect(hopeless.messages()).toEqual([
    `cannot reach MLflow at http://127.0.0.1:${port}: ECONNREFUSED. It is tried again; the run goes on.`,
    "not delivered: 1 update.",
  ]);

  const patient = await follow(run.directory, config);
  await eventually(() => patient.notices.length === 1);
  await using server = await MlflowServer.start(port);
  await eventually(() => server.steps("x").length === 1);
  await patient[Symbol.asyncDispose]();
  expect(patient.messages().slice(1)).toEqual([expect.stringContaining("/runs/run-0"), "delivers again."]);
});

test("a batch that is refused is passed over and counted; a key that is refused ends the sink, not the run", async () => {
  await using server = await MlflowServer.start();
  await using run = await newRun();
  const followed = await follow(run.directory, configFor(server));
  await eventually(() => server.runs.length === 1);
  server.trouble = (path) => (path === "runs/log-batch" ? 400 : 200);
  await run.append("updates", { step: 1, x: 1 });
  await eventually(() => followed.notices.length === 2);
  server.trouble = () => 200;
  await run.append("updates", { step: 2, x: 1 });
  await eventually(() => server.steps("x").length === 1);
  server.trouble = () => 403;
  await run.append("updates", { step: 3, x: 1 });
  await followed[Symbol.asyncDispose]();
  expect(followed.messages().slice(1)).toEqual([
    expect.stringContaining("answered 400 to runs/log-batch: no"),
    expect.stringContaining("answered 403 to runs/log-batch: no. Nothing more is sent there; the run goes on."),
    "not delivered: 1 update, 1 refused row.",
  ]);
  expect(followed.notices[2]?.hint).toContain("MLFLOW_TRACKING_TOKEN");
});

test("more metrics than one request may carry go in several", async () => {
  await using server = await MlflowServer.start();
  await using run = await newRun();
  const many = Object.fromEntries(Array.from({ length: 450 }, (_unused, index) => [`x${index}`, index]));
  for (const step of [1, 2, 3]) await run.append("updates", { step, ...many });
  await (await follow(run.directory, configFor(server)))[Symbol.asyncDispose]();
  expect(server.runs[0]?.metrics).toHaveLength(1350);
});

test("keys go into the header and nowhere else", async () => {
  await using server = await MlflowServer.start();
  await using run = await newRun();
  await run.append("updates", { step: 1, x: 1 });
  const address = `http://reader:pass-in-address@127.0.0.1:${server.port}`;
  const config = { mlflow: { trackingUri: address, experiment: "e" } };
  await (await follow(run.directory, config))[Symbol.asyncDispose]();
  expect(server.requests.at(-1)?.authorization).toBe(`Basic ${btoa("reader:pass-in-address")}`);

  await run.append("updates", { step: 2, x: 1 });
  server.trouble = () => 401;
  const followed = await follow(run.directory, config, { env: { MLFLOW_TRACKING_TOKEN: "token-of-env" } });
  await followed[Symbol.asyncDispose]();
  expect(server.requests.at(-1)?.authorization).toBe("Bearer token-of-env");

  const env = { MLFLOW_TRACKING_USERNAME: "writer", MLFLOW_TRACKING_PASSWORD: "word-of-env" };
  const other = await follow(run.directory, config, { env });
  await other[Symbol.asyncDispose]();
  expect(server.requests.at(-1)?.authorization).toBe(`Basic ${btoa("writer:word-of-env")}`);
  const seen = JSON.stringify([
    followed.notices,
    other.notices,
    await readFile(join(run.directory, "sinks.json"), "utf8"),
  ]);
  expect(seen).toContain(`127.0.0.1:${server.port}`);
  expect(seen).not.toMatch(/pass-in-address|token-of-env|word-of-env|reader/);
});

test("names are made such as MLflow takes", () => {
  expect(keyOf("eval/my env/pass@4 (π)")).toBe("eval/my env/pass_at_4 ___");
  expect(keyOf("/a//../b/")).toBe("_/a/_/_/b/_");
  expect(keyOf("x".repeat(300))).toHaveLength(250);
});
