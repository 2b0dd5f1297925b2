// One environment written three ways gives byte-identical samples, on the same loop.
import { Sample, samplesOf } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  chat,
  defineEnvironment,
  defineTaskset,
  difflibRatio,
  HarnessedEnv,
  SingleTurnEnv,
  XMLParser,
} from "./index.ts";
import { runOnce } from "./testing/run-once.ts";

const parser = new XMLParser(["reversed_text"]);
const reverse = (text: string): string => [...text].toReversed().join("");
const parts = {
  name: "reverse-text",
  tasks: [{ text: "hello" }, { text: "bees make honey" }],
  system: "Reverse the text, inside <reversed_text> tags.",
  prompt: ({ task }: { readonly task: { readonly text: string } }) => task.text,
  rewards: {
    lcs: ({ task, reply }: { readonly task: { readonly text: string }; readonly reply: string }) =>
      difflibRatio(parser.parse(reply).reversed_text ?? "", reverse(task.text)),
  },
};

const forms = {
  defineEnvironment: defineEnvironment({ ...parts, maxTurns: 1 }),
  SingleTurnEnv: new SingleTurnEnv(parts),
  "Taskset x Harness": new HarnessedEnv({ taskset: defineTaskset(parts), harness: chat }),
};

test("as defineEnvironment, as SingleTurnEnv and as Taskset x Harness", async () => {
  const model = scriptedModel(({ messages }, { random }) => {
    const letters = [...reverse(String(messages.at(-1)?.content))];
    return `<reversed_text>${letters.map((letter) => (random.next() < 0.2 ? "x" : letter)).join("")}</reversed_text>`;
  });
  const written = await Promise.all(
    Object.values(forms).map(async (environment) => {
      const samples: unknown[] = [];
      for await (const task of environment.tasks("all")) {
        for (let index = 0; index < 4; index++) {
          const rollout = await runOnce(environment, { model, task, index, seed: index });
          samples.push(...samplesOf(rollout).map((sample) => [z.encode(Sample, sample), rollout.agents[0]?.reward]));
        }
      }
      return JSON.stringify(samples);
    }),
  );
  expect(new Set(written).size).toBe(1);
  expect(JSON.parse(written[0] ?? "")).toHaveLength(8);
});
