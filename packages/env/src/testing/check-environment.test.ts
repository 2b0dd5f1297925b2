import { expect, test } from "vitest";
import { defineEnvironment } from "../index.ts";
import { checkEnvironment } from "./check-environment.ts";

const good = {
  name: "good",
  tasks: [{ text: "ab" }, { text: "cd" }],
  prompt: ({ task }: { readonly task: { readonly text: string } }) => task.text,
  gold: ({ task }: { readonly task: { readonly text: string } }) => task.text,
  rewards: {
    same: ({ task, reply }: { readonly task: { readonly text: string }; readonly reply: string }) =>
      reply === task.text,
  },
};
const outcomes = async (environment: Parameters<typeof checkEnvironment>[0]) =>
  Object.fromEntries(
    (await checkEnvironment(environment)).map(({ name, outcome, detail }) => [name, outcome === "ok" ? "ok" : detail]),
  );

test("an environment that keeps the rules passes every check", async () => {
  expect(new Set(Object.values(await outcomes(defineEnvironment(good))))).toEqual(new Set(["ok"]));
});

test.each([
  ["tasks load", { tasks: [] }, "it has no tasks"],
  [
    "task ids are unique and stable",
    {
      tasks: [
        { id: "a", text: "x" },
        { id: "a", text: "y" },
      ],
    },
    "the id a is used twice",
  ],
  ["gold replies score 1", { gold: () => "wrong" }, /scores 0 for "wrong"/],
  ["gold replies score 1", { gold: undefined }, "it gives no `gold`"],
  ["saying nothing scores 0", { rewards: { free: () => 0.5 } }, /scores 0.5 for ""/],
  [
    "rollouts and their state survive JSON",
    { state: () => ({ seen: new Set(["a"]) }) },
    "state.seen is a Set, which does not survive JSON",
  ],
  ["gold replies score 1", { rewards: { j: { judge: "j", prompt: () => "?" } } }, /The model j is not given here/],
])("%s: what breaks it is named", async (name, change, detail) => {
  const found = (await outcomes(defineEnvironment({ ...good, ...change } as never)))[name];
  if (typeof detail === "string") expect(found).toBe(detail);
  else expect(found).toMatch(detail);
});

test("ids that change between readings are found", async () => {
  let reading = 0;
  const tasks = () => [{ id: `task-${reading++}`, text: "x" }];
  expect((await outcomes(defineEnvironment({ ...good, tasks })))["task ids are unique and stable"]).toMatch(
    /was task-\d, then task-\d/,
  );
});
