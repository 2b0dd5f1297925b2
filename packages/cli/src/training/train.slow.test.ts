// Training with rollouts in worker threads. Needs the build: threads run what was built.
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { openRun } from "@hone/store";
import { expect, test } from "vitest";
import { repository } from "../testing/binary.ts";
import { toyConfig, toyEngine, withToy } from "../testing/toy-model.ts";
import { train } from "./train.ts";

const environment = `import { threadId } from "node:worker_threads";
import { defineEnvironment } from "@hone/env";
export default defineEnvironment({
  name: "threaded",
  tasks: Array.from({ length: 40 }, (_, index) => ({ id: "t" + index, text: "say " + index })),
  prompt: ({ task }) => task.text,
  gold: ({ task }) => [task.text.toUpperCase(), "done"],
  state: () => ({ thread: threadId }),
  rewards: { share: ({ reply }) => (reply.match(/[a-z]/g) ?? []).length / Math.max(1, reply.length) },
  maxTurns: 1,
});
`;

test("what is right is kept beside each task also where rollouts run in worker threads", async () => {
  const { folder: cwd, write } = await withToy();
  await symlink(join(repository, "node_modules"), join(cwd, "node_modules"));
  await write("threaded.mjs", environment);
  const config = { ...toyConfig, env: [{ id: "./threaded.mjs", workers: 1 }], maxSteps: 1, eval: false as const };
  const { directory } = await train(config, { cwd, engine: toyEngine });
  const run = await openRun(directory);
  let tasks = 0;
  for await (const { value } of run.read("tasks")) {
    tasks++;
    expect(value.gold).toEqual([`SAY ${value.task.id.slice(1)}`, "done"]);
  }
  expect(tasks).toBeGreaterThan(0);
  for await (const { state } of run.rollouts()) expect((state as { thread: number }).thread).toBeGreaterThan(0);
});
