import type { Resources } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { defineEnvironment } from "@hone/env";
import { expect, test } from "vitest";
import * as z from "zod";
import { Activity, boundaryOf } from "./activity.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const identity = { id: "r", group: "g", index: 0, attempt: 0, seed: 0 } as never;
const sandbox = { exec: never, start: never, read: never, write: never, list: async () => ["a"] };

/** Runs one rollout until it hangs and says in what. */
async function hangsIn(
  options: object,
  resources: Partial<Resources> = {},
  model = scriptedModel(() => "hello"),
): Promise<string> {
  const environment = defineEnvironment({
    name: "env",
    tasks: [{ text: "x" }],
    prompt: () => "x",
    rewards: { right: () => 1 },
    ...options,
  });
  const task = (await environment.tasks("all")[Symbol.asyncIterator]().next()).value;
  const activity = new Activity(() => 0);
  const rollout = activity.begin("env");
  expect(rollout.doing.part).toBe("queue");
  rollout.start();
  const sandboxes = { name: "s", open: async () => ({ sandbox, [Symbol.asyncDispose]: async () => undefined }) };
  const handed = rollout.watched({ model, models: () => model, sandboxes, ...resources });
  const controller = new AbortController();
  const running = environment.rollout({
    task,
    identity,
    resources: { ...handed, harness: undefined, sampling: {} },
    signal: controller.signal,
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const { part, what } = rollout.doing;
  controller.abort();
  await running;
  return `${part}: ${what}`;
}

const calls = scriptedModel(() => ({ toolCalls: [{ name: "search", arguments: {} }] }));
const hanging = { name: "m", complete: never };
const search = (execute: (input: object, scope: never) => unknown) => ({
  tools: { search: { description: "", parameters: z.object({}), execute } },
});

test("a rollout that hangs is found in the part that does not answer", async () => {
  expect(await hangsIn({}, { model: hanging })).toBe("model: the model");
  expect(await hangsIn(search(never), {}, calls)).toBe("tool: tool search");
  expect(await hangsIn({ rewards: { right: never } })).toBe("reward: reward right");
  expect(await hangsIn({ state: never })).toBe("environment: state");
  expect(await hangsIn({ sandbox: {} }, { sandboxes: { name: "s", open: never } })).toBe(
    "sandbox: the sandbox to open",
  );
  const exec = search((_input, scope: { readonly sandbox: typeof sandbox }) => scope.sandbox.exec());
  expect(await hangsIn({ sandbox: {}, ...exec }, {}, calls)).toBe("sandbox: a command in the sandbox");
  const judged = { rewards: { kind: { judge: "strict", prompt: () => "kind?" } } };
  expect(await hangsIn(judged, { models: () => hanging })).toBe("judge: judge strict");
});

test("what has answered is no longer what a rollout does, whether it succeeded or not", async () => {
  const rollout = new Activity(() => 0).begin("env");
  rollout.start();
  let open: (value: number) => void = () => undefined;
  const first = rollout.during("tool", "tool a", () => new Promise<number>((resolve) => (open = resolve)));
  const second = rollout.during("tool", "tool b", () => Promise.reject(new Error("no")));
  expect(rollout.doing.what).toBe("tool b");
  await expect(second).rejects.toThrow("no");
  expect(rollout.doing.what).toBe("tool a");
  open(1);
  await first;
  expect(() => rollout.during("reward", "reward c", () => JSON.parse("{"))).toThrow("JSON");
  expect(rollout.doing.part).toBe("environment");
});

test("time runs from when a rollout has its place", () => {
  let now = 0;
  const activity = new Activity(() => now);
  const [waits, runs] = [activity.begin("env"), activity.begin("env")];
  const late: string[] = [];
  waits.onTimeout = () => late.push("waits");
  runs.onTimeout = () => late.push("runs");
  now = 500;
  runs.start();
  now = 1500;
  activity.expire(1000);
  expect(late).toEqual([]);
  now = 1501;
  activity.expire(1000);
  expect(late).toEqual(["runs"]);
  runs.end();
  activity.expire(1000);
  expect(late).toEqual(["runs"]);
});

test("a judge that hangs is the reward's failure", () => {
  expect((["judge", "tool", "queue"] as const).map(boundaryOf)).toEqual(["reward", "tool", "environment"]);
});
