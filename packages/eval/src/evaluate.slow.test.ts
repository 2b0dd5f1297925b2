import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineEnvironment } from "@hone/env";
import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import type { Progress } from "./progress.ts";
import { adder, sums, temporaryDirectory, usuallyRight } from "./testing/environments.ts";

test("environment code that holds the event loop is named in progress and in the events", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "eval");
  const environment = defineEnvironment({
    name: "slow",
    tasks: sums(1),
    prompt: () => "1 + 1",
    rewards: {
      heavy: () => {
        for (const end = performance.now() + 230; performance.now() < end;);
        return 1;
      },
    },
  });
  const blocked: Progress["blocked"][] = [];
  const onProgress = (progress: Progress): void => void (progress.blocked && blocked.push(progress.blocked));
  await evaluate({ environment, model: adder(usuallyRight), directory, onProgress });
  expect(blocked[0]).toMatchObject({ envs: ["slow"], where: ["reward heavy"] });
  expect(await readFile(join(directory, "events.jsonl"), "utf8")).toContain("event-loop-block");
});
