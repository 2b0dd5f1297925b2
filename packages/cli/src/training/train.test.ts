import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MetricRow } from "@hone/store";
import { openRun, requestStop } from "@hone/store";
import type { TrainEvent } from "@hone/train";
import { expect, test } from "vitest";
import type { OpenEngine } from "../engines/open-engine.ts";
import { lowerCase, toyConfig, toyEngine, withToy } from "../testing/toy-model.ts";
import { train } from "./train.ts";

async function evals(directory: string): Promise<MetricRow[]> {
  const rows: MetricRow[] = [];
  for await (const { value } of (await openRun(directory)).read("evals")) rows.push(value);
  return rows;
}

test("a run is measured before, during and after on the same held-out tasks, and its policy is exported", async () => {
  const { folder: cwd } = await withToy();
  const outcome = await train(toyConfig, { cwd, engine: toyEngine });
  expect(outcome).toMatchObject({
    name: "lower-case-toy-1",
    step: 4,
    why: "done",
    policy: join(outcome.directory, "model"),
  });
  expect(existsSync(join(outcome.policy ?? "", "policy.toy"))).toBe(true);
  const rows = await evals(outcome.directory);
  expect(rows.map(({ step }) => step)).toEqual([0, 2, 4]);
  for (const row of rows) expect(row).toMatchObject({ env: "lower-case", n: 20, tasks: 5, failed: 0 });
  expect(rows[0]).not.toHaveProperty("reward/gain");
  const [first, , last] = rows;
  const gain = (last?.["reward/mean"] as number) - (first?.["reward/mean"] as number);
  expect(last?.["reward/gain"]).toBeCloseTo(gain, 9);
  expect(gain).toBeGreaterThan(0.1);
  expect(last?.["reward/gain_ci95"]).toHaveLength(2);
  expect(last).toHaveProperty("rollout/all/gain");
  expect(outcome.before).toEqual([first]);
  expect(outcome.after).toEqual([last]);
});

test("a run that is asked to stop exports what it has, and goes on to the same end", async () => {
  const { folder: cwd } = await withToy();
  const whole = await train(toyConfig, { cwd, engine: toyEngine, directory: "runs/whole" });
  const stopAt = (step: number) => ({
    onEvent: (event: TrainEvent) => {
      if (event.type === "update-end" && event.row.step === step) void requestStop(join(cwd, "runs/parts"));
    },
  });
  const first = await train(toyConfig, { cwd, engine: toyEngine, directory: "runs/parts", ...stopAt(2) });
  expect(first).toMatchObject({ step: 2, why: "stopped" });
  expect(existsSync(join(first.policy ?? "", "policy.toy"))).toBe(true);
  const second = await train({ resume: "parts" }, { cwd, engine: toyEngine });
  expect(second).toMatchObject({ step: 4, why: "done" });
  const untimed = (rows: readonly MetricRow[]) => rows.map((row) => ({ ...row, "rollout/seconds": 0 }));
  expect(untimed(second.after)).toEqual(untimed(whole.after));
  const [one, other] = [
    await readFile(join(second.policy ?? "", "policy.toy")),
    await readFile(join(whole.policy ?? "", "policy.toy")),
  ];
  expect(one.equals(other)).toBe(true);
});

test("with rewards shuffled inside each group nothing is gained", async () => {
  const { folder: cwd } = await withToy();
  const gains = async (isControl: boolean) => {
    const config = isControl ? { ...toyConfig, control: "shuffled_rewards" as const } : toyConfig;
    const { after } = await train(config, { cwd, engine: toyEngine });
    return after[0]?.["reward/gain"] as number;
  };
  expect(await gains(true)).toBeLessThan((await gains(false)) / 2);
});

test("a signal stops a run cleanly", async () => {
  const { folder: cwd } = await withToy();
  const controller = new AbortController();
  const onEvent = (event: TrainEvent): void => {
    if (event.type === "update-end") controller.abort();
  };
  const outcome = await train(toyConfig, { cwd, engine: toyEngine, onEvent, signal: controller.signal });
  expect(outcome.why).toBe("stopped");
  expect(outcome.step).toBeLessThan(4);
});

test("environments may be given as objects, and tasks that are declared for evaluation are not trained on", async () => {
  const { folder: cwd } = await withToy();
  const environment = lowerCase("mine");
  const outcome = await train(
    { ...toyConfig, env: [{ id: "mine" }], maxSteps: 2 },
    { cwd, engine: toyEngine, environments: { mine: environment } },
  );
  const trained = new Set<string>();
  for await (const { value } of (await openRun(outcome.directory)).read("tasks")) trained.add(value.task.id);
  const heldOut = JSON.parse((await readFile(join(outcome.directory, "held-out.jsonl"), "utf8")).split("\n")[0] ?? "");
  for (const id of Object.keys((heldOut as { values: object }).values)) expect(trained).not.toContain(id);
});

test("what is right is kept beside each task of a run, found by name or given as an object", async () => {
  const { folder: cwd } = await withToy();
  const config = { ...toyConfig, env: [{ id: "lower-case" }, { id: "mine" }], maxSteps: 1, eval: false as const };
  const environments = { mine: lowerCase("mine") };
  const { directory } = await train(config, { cwd, engine: toyEngine, environments });
  const golds = new Set<string>();
  for await (const { value } of (await openRun(directory)).read("tasks")) golds.add(`${value.env} ${value.gold?.[0]}`);
  expect(golds).toEqual(new Set(["lower-case saysomething", "mine saysomething"]));
});

test("a mistake is told before there is a run", async () => {
  const { folder: cwd } = await withToy();
  const options = { cwd, engine: toyEngine };
  const refused = async (change: object, error: object): Promise<void> => {
    await expect(train({ ...toyConfig, ...change }, options)).rejects.toMatchObject(error);
  };
  await refused({ model: "./nowhere" }, { code: "unknown-model", message: "There is no folder `./nowhere`." });
  await refused({ model: "Qwen/Qwen3-0.6B" }, { code: "unknown-model" });
  await refused({ env: [{ id: "lowr-case" }] }, { message: expect.stringContaining("Did you mean `lower-case`") });
  await refused({ seqLen: 1024 }, { code: "unsupported", message: expect.stringContaining("seq_len 1024") });
  await refused({ groupSize: 5 }, { code: "config" });
  await expect(train({ ...toyConfig, engine: "tinker" }, { cwd })).rejects.toMatchObject({ code: "unknown-engine" });
  expect(existsSync(join(cwd, "runs"))).toBe(false);
});

test("a teacher is a model on this machine with the same tokenizer", async () => {
  const { folder: cwd, write } = await withToy();
  const opened: string[] = [];
  const engine: OpenEngine = (request) => {
    opened.push(request.name);
    return toyEngine(request);
  };
  const distil = (endpoint: string) =>
    train(
      { ...toyConfig, maxSteps: 1, eval: false, algorithm: { type: "opd" }, teacher: { endpoint } },
      { cwd, engine },
    );
  expect((await distil("./teacher")).step).toBe(1);
  expect(opened).toEqual(["./toy", "./teacher"]);
  await expect(distil("openai/gpt-5")).rejects.toMatchObject({
    message: "`openai/gpt-5` cannot be a teacher: a teacher scores tokens, and a served model cannot.",
  });
  await write("other/config.json", "{}");
  await write("other/tokenizer.json", "{}");
  await expect(distil("./other")).rejects.toMatchObject({
    message: expect.stringContaining("its tokenizer is another"),
  });
});
