import type { Rollout } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  defineEnvironment,
  fillTemplate,
  JudgeRubric,
  readVerdict,
  Rubric,
  RubricGroup,
  SingleTurnEnv,
} from "../index.ts";
import { firstTask, noSandboxes, runOnce } from "../testing/run-once.ts";

const base = { name: "x", tasks: [{ question: "2+2?", answer: "4" }], prompt: () => "2+2?" };
const four = scriptedModel(() => "4");
const signal = new AbortController().signal;

describe("named rewards", () => {
  test("are summed by weight; weight 0 makes a metric", async () => {
    const environment = defineEnvironment({
      ...base,
      rewards: {
        right: () => true,
        half: { weight: 0.5, score: async () => 0.5 },
        watched: { weight: 0, score: () => 7 },
      },
      metrics: { length: ({ reply }) => reply.length },
    });
    const [agent] = (await runOnce(environment, { model: four })).agents;
    expect(agent?.reward).toBe(1.25);
    expect(agent?.rewards).toEqual({ right: { value: 1, weight: 1 }, half: { value: 0.5, weight: 0.5 } });
    expect(agent?.metrics).toMatchObject({ watched: 7, length: 1 });
  });

  test("two of one name, or one that every rollout has, are refused when the environment is made", () => {
    expect(() => defineEnvironment({ ...base, rewards: [{ a: () => 1 }, { a: () => 0 }] })).toThrow(
      "Two rewards are named a",
    );
    expect(() => defineEnvironment({ ...base, rewards: { turns: () => 1 } })).toThrow("cannot be named turns");
    const rubric = new Rubric({ a: () => 1 });
    expect(() => new RubricGroup([rubric, rubric])).toThrow("Two rewards are named a");
  });

  test("a RubricGroup is all of its rubrics, with all of their needs", async () => {
    const one = new Rubric<{ readonly reply: string }>(
      { short: ({ reply }) => reply.length < 3 },
      z.object({ question: z.string() }),
    );
    const two = new Rubric<{ readonly reply: string }>(
      { digit: ({ reply }) => /\d/.test(reply) },
      z.object({ answer: z.string() }),
    );
    const group = new RubricGroup([one, two]);
    expect(Object.keys(group.fields?.shape ?? {})).toEqual(["question", "answer"]);
    expect((await runOnce(new SingleTurnEnv({ ...base, rewards: group }), { model: four })).agents[0]?.reward).toBe(2);
  });

  test("a task without the fields its rewards read is named when it is read", async () => {
    const rows = [{ question: "a", answer: "b" }, { question: "c" }] as unknown as {
      question: string;
      answer: string;
    }[];
    const environment = new SingleTurnEnv({ ...base, tasks: rows, rewards: new JudgeRubric({ judge: "j" }) });
    const read = async () => {
      for await (const _task of environment.tasks("all"));
    };
    await expect(read()).rejects.toThrow(/Task \w+ of x lacks what its rewards read:[\s\S]*answer/);
  });
});

describe("group rewards", () => {
  const environment = defineEnvironment({
    ...base,
    rewards: {
      own: ({ reply }) => reply.length,
      best: {
        weight: 2,
        scoreGroup: (group) =>
          group.map(({ reply }) => Number(reply.length === Math.max(...group.map((g) => g.reply.length)))),
      },
    },
  });
  const resources = { model: four, models: () => four, sandboxes: noSandboxes, harness: undefined, sampling: {} };

  test("compare the finished rollouts of a task and leave failed ones alone", async () => {
    const replies = ["a", "abc", "ab"];
    const rollouts = await Promise.all(
      replies.map((reply, index) => runOnce(environment, { model: scriptedModel(() => reply), index })),
    );
    const failed = await runOnce(environment, {
      model: { name: "down", complete: () => Promise.reject(new Error("no")) },
      index: 3,
    });
    const task = await firstTask(environment);
    const scored = await environment.score({
      task,
      rollouts: [...rollouts, failed],
      resources,
      which: "group",
      signal,
    });
    expect(scored.map((rollout) => rollout.agents[0]?.reward)).toEqual([1, 5, 2, null]);
    expect(scored[1]?.agents[0]?.rewards["best"]).toEqual({ value: 1, weight: 2 });
  });

  test("that return too few numbers are an error at the boundary", async () => {
    const short = defineEnvironment({ ...base, rewards: { best: { scoreGroup: () => [] } } });
    const rollouts = [await runOnce(short, { model: four })];
    await expect(
      short.score({ task: await firstTask(short), rollouts, resources, which: "group", signal }),
    ).rejects.toThrow("Group reward best returned 0 numbers for 1 rollouts");
  });

  test("every reward again on saved rollouts: no model is called, sandboxed values are kept", async () => {
    let strict = false;
    const changing = defineEnvironment({
      ...base,
      sandbox: {},
      rewards: {
        right: ({ reply, task }) => reply === task.answer && !strict,
        ran: async ({ sandbox }) => (await sandbox.list("/")).length,
      },
    });
    const sandbox = {
      exec: async () => ({}) as never,
      read: async () => new Uint8Array(),
      write: async () => {},
      list: async () => ["a", "b"],
      start: async () => ({}) as never,
    };
    const sandboxes = { name: "one", open: async () => ({ sandbox, [Symbol.asyncDispose]: async () => {} }) };
    const rollout = await runOnce(changing, { model: four, sandboxes });
    strict = true;
    const never = { name: "never", complete: () => Promise.reject(new Error("called")) };
    const [again] = await changing.score({
      task: await firstTask(changing),
      rollouts: [rollout],
      resources: { ...resources, model: never },
      which: "all",
      signal,
    });
    expect(rollout.agents[0]?.rewards).toEqual({ right: { value: 1, weight: 1 }, ran: { value: 2, weight: 1 } });
    expect(again?.agents[0]?.rewards).toEqual({ right: { value: 0, weight: 1 }, ran: { value: 2, weight: 1 } });
  });
});

describe("judges", () => {
  const judged = new SingleTurnEnv({ ...base, rewards: new JudgeRubric({ judge: "strict" }) });
  const run = (judge: Parameters<typeof scriptedModel>[0], reply = "4"): Promise<Rollout> =>
    runOnce(judged, { model: scriptedModel(() => reply), models: () => scriptedModel(judge, { name: "judge" }) });

  test("braces in an answer survive the template", () => {
    expect(
      fillTemplate("{question} {answer} {response} {other}", {
        question: "{answer}",
        answer: "{x} $& $1",
        response: "{}",
      }),
    ).toBe("{answer} {x} $& $1 {} {other}");
  });

  test.each([
    ["yes", 1],
    ["No.", 0],
    ["Not wrong, so: YES", 1],
    ["score: 0.75", 0.75],
    ["perhaps", undefined],
  ])("the verdict %j is read as %s", (verdict, value) => {
    expect(readVerdict(verdict)).toBe(value);
  });

  test("an unreadable verdict is asked again with other noise, then the rollout fails and does not score 0", async () => {
    let asked = 0;
    const rollout = await run(() => (++asked < 3 ? "hm" : "yes"));
    expect(rollout).toMatchObject({
      agents: [{ reward: 1 }],
      info: { judges: { judged: { attempts: 3, verdict: "yes" } } },
    });
    const failed = await run(() => "hm", "5");
    expect(failed).toMatchObject({
      failure: { boundary: "reward", code: "unreadable-verdict" },
      agents: [{ reward: null }],
    });
  });

  test("a judge that is down fails the rollout", async () => {
    const rollout = await run(() => ({ fail: { message: "503", code: "server" } }), "6");
    expect(rollout.failure).toMatchObject({ boundary: "reward", code: "server", isRetryable: true });
  });

  test("equal questions are judged once", async () => {
    let asked = 0;
    const judge = () => {
      asked++;
      return "yes";
    };
    await run(judge, "7");
    await run(judge, "7");
    expect(asked).toBe(1);
  });
});
