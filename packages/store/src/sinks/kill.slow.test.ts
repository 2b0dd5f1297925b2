// A run that is killed at any moment and resumed: the sinks of its next life go on where the last one was.
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRun } from "../run-directory.ts";
import { startChild } from "../testing/child.ts";
import { readEvents } from "./testing/decode-events.ts";
import { fakeWandb, withoutPython } from "./testing/fake-wandb.ts";
import { MlflowServer } from "./testing/mlflow-server.ts";
import { eventually, follow, newRun } from "./testing/followed-run.ts";
import { temporaryFolder } from "../testing/temporary.ts";

const sinks = new URL("../../dist/sinks/index.js", import.meta.url).href;

/** Goes back two steps behind the last row, as from a checkpoint, and writes on until it is killed. */
const life = `
  const { openSinks } = await import(${JSON.stringify(sinks)});
  const [directory, trackingUri] = args;
  const run = await store.resumeRun(directory);
  let step = 0;
  for await (const { value } of (await store.openRun(directory)).read("updates")) step = value.step;
  const config = { tensorboard: {}, mlflow: { trackingUri, experiment: "e" } };
  await openSinks(directory, config, { onNotice: () => undefined, env: {}, pollMs: 1 });
  say("ready");
  for (step = Math.max(0, step - 2) + 1; ; step++) {
    await run.append("updates", { step, x: step + Math.random() });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }`;

const lives = process.env["HONE_FULL"] === undefined ? 4 : 30;

test("after kills, every row that survives was delivered once, in one run", async () => {
  await using server = await MlflowServer.start();
  const run = await newRun();
  const { directory } = run;
  await run.close();
  for (let count = 0; count < lives; count++) {
    const child = startChild(life, [directory, server.uri]);
    await new Promise((resolve) => child.process.stdout.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 150));
    child.process.kill("SIGKILL");
    await child.output;
  }
  const config = { tensorboard: {}, mlflow: { trackingUri: server.uri, experiment: "e" } };
  const last = await follow(directory, config);
  await last[Symbol.asyncDispose]();
  expect(last.notices.map(({ level }) => level)).toEqual(["info", "info"]);

  const survivors = new Map<number, number>();
  for await (const { value } of (await openRun(directory)).read("updates")) {
    for (const old of survivors.keys()) if (old >= value.step) survivors.delete(old);
    survivors.set(value.step, Number(value["x"]));
  }
  expect(survivors.size).toBeGreaterThan(0);

  expect(server.runs).toHaveLength(1);
  const sent = server.runs[0]?.metrics.map(({ value }) => value) ?? [];
  expect(new Set(sent).size).toBe(sent.length);
  const latest = new Map(server.runs[0]?.metrics.map(({ step, value }) => [step, value]));
  expect([...survivors.keys()].map((step) => latest.get(step))).toEqual([...survivors.values()]);

  const shown = new Map<number, number>();
  for (const { step, isRestart, scalars, version } of await readEvents(join(directory, "tensorboard"))) {
    if (isRestart) for (const old of shown.keys()) if (old >= step) shown.delete(old);
    if (!isRestart && version === undefined) shown.set(step, scalars["x"] ?? Number.NaN);
  }
  expect([...shown]).toEqual([...survivors].map(([step, x]) => [step, Math.fround(x)]));
});

const noPython = withoutPython("import json");
test("the W&B client outlives a killed run by as long as it takes to say so", async ({ skip }) => {
  skip(noPython !== undefined, noPython);
  const wandb = await fakeWandb(await temporaryFolder());
  const run = await newRun();
  await run.append("updates", { step: 1, x: 1 });
  await run.close();
  const body = `
    const { openSinks } = await import(${JSON.stringify(sinks)});
    const config = { wandb: { project: "p", mode: "online" } };
    await openSinks(args[0], config, { onNotice: () => undefined, env: JSON.parse(args[1]), pollMs: 1 });
    setInterval(() => undefined, 1000);`;
  const child = startChild(body, [run.directory, JSON.stringify(wandb.env)]);
  await eventually(async () => (await wandb.calls()).some(({ call }) => call === "log"));
  child.process.kill("SIGKILL");
  await eventually(async () => (await wandb.calls()).some(({ call }) => call === "finish"));
  expect((await wandb.calls()).at(-1)).toEqual({ call: "finish", exit_code: 1 });
});
