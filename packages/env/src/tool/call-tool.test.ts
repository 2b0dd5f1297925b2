import { scriptedModel } from "@hone/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { defineEnvironment } from "../index.ts";
import { runOnce } from "../testing/run-once.ts";

const environment = defineEnvironment({
  name: "shop",
  tasks: [{ item: "tea" }],
  prompt: () => "Buy it.",
  state: () => ({ bought: [] as string[] }),
  tools: {
    buy: {
      description: "Buys things.",
      parameters: z.object({ item: z.string().describe("what to buy"), count: z.int().min(1).default(1) }),
      execute: async ({ item, count }, { state }) => {
        for (let n = 0; n < count; n++) state.bought.push(item);
        return { bought: state.bought.length };
      },
    },
    look: {
      description: "Shows a picture.",
      parameters: z.object({}),
      execute: () => [{ type: "image", url: "data:image/png;base64,AA==" }] as const,
    },
    fail: {
      description: "Fails.",
      parameters: z.object({}),
      execute: () => {
        throw new Error("sold out");
      },
    },
  },
  rewards: {},
});

async function callAll(
  calls: readonly { readonly name: string; readonly arguments: string | object }[],
  settings = {},
) {
  const script = scriptedModel((_request, { index }) => (index === 0 ? { toolCalls: calls as never } : "done"));
  const rollout = await runOnce(environment, { model: script, settings });
  const said = rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [message] : []));
  return { rollout, said, texts: said.map(({ content }) => content) };
}

test("the schema sent to the model leaves out parameters' defaults from `required` and keeps descriptions", () => {
  expect(environment.info.tools[0]).toEqual({
    name: "buy",
    description: "Buys things.",
    parameters: {
      type: "object",
      properties: {
        item: { type: "string", description: "what to buy" },
        count: { default: 1, type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      },
      required: ["item"],
    },
  });
});

test("arguments are validated, defaults applied, data shown as JSON, state injected", async () => {
  const { texts, rollout } = await callAll([{ name: "buy", arguments: { item: "tea" } }]);
  expect(texts).toEqual(['{"bought":1}']);
  expect(rollout.state).toEqual({ bought: ["tea"] });
});

test("content parts pass through", async () => {
  expect((await callAll([{ name: "look", arguments: {} }])).texts).toEqual([
    [{ type: "image", url: "data:image/png;base64,AA==" }],
  ]);
});

test.each([
  ["not JSON", { name: "buy", arguments: "{item: tea" }, /not valid JSON .*Send the call again/],
  ["not an object", { name: "buy", arguments: '["tea"]' }, /must be a JSON object/],
  ["the wrong type", { name: "buy", arguments: { item: 3 } }, /Invalid arguments for buy:[\s\S]*expected string/],
  ["an unknown tool", { name: "by", arguments: {} }, /There is no tool by\. Tools: buy, look, fail\./],
  ["a tool of Object's prototype", { name: "constructor", arguments: {} }, /There is no tool constructor/],
  ["a tool that throws", { name: "fail", arguments: {} }, /^Error: sold out$/],
])("%s is told to the model as an error and counted", async (_what, call, expected) => {
  const { said, rollout } = await callAll([call]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatchObject({ isError: true, content: expect.stringMatching(expected) as string });
  expect(rollout.failure).toBeUndefined();
  expect(rollout.agents[0]?.metrics["tool_errors"]).toBe(1);
});

test("several calls of one turn run at the same time and are answered in order", async () => {
  let open = 0;
  let most = 0;
  const slow = defineEnvironment({
    name: "slow",
    tasks: [{ n: 1 }],
    prompt: () => "go",
    tools: {
      wait: {
        description: "",
        parameters: z.object({ ms: z.int() }),
        execute: async ({ ms }) => {
          most = Math.max(most, ++open);
          await new Promise((resolve) => setTimeout(resolve, ms));
          open--;
          return String(ms);
        },
      },
    },
    rewards: {},
  });
  const toolCalls = [20, 5, 1].map((ms) => ({ name: "wait", arguments: { ms } }));
  const rollout = await runOnce(slow, {
    model: scriptedModel((_r, { index }) => (index === 0 ? { toolCalls } : "done")),
  });
  expect(most).toBe(3);
  expect(rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))).toEqual([
    "20",
    "5",
    "1",
  ]);
});

test("a run may offer only some of the tools", async () => {
  const { texts } = await callAll([{ name: "fail", arguments: {} }], { tools: ["buy"] });
  expect(texts).toEqual(["There is no tool fail. Tools: buy."]);
});

test("a toolset's tools are offered beside the environment's own, answered, counted and closed with the rollout", async () => {
  const log: string[] = [];
  const served = defineEnvironment({
    name: "served",
    tasks: [{ n: 1 }],
    prompt: () => "go",
    tools: { own: { description: "", parameters: z.object({}), execute: () => "mine" } },
    toolset: () => ({
      specs: [{ name: "theirs", description: "", parameters: { type: "object" } }],
      call: async ({ arguments: text }) => ({ content: `theirs ${text}` }),
      [Symbol.asyncDispose]: async () => void log.push("closed"),
    }),
    rewards: {},
  });
  const toolCalls = ["own", "theirs", "other"].map((name) => ({ name, arguments: {} }));
  const rollout = await runOnce(served, {
    model: scriptedModel((_r, { index }) => (index === 0 ? { toolCalls } : "done")),
  });
  const said = rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []));
  expect(said).toEqual(["mine", "theirs {}", "There is no tool other. Tools: own, theirs."]);
  expect(rollout.agents[0]?.metrics).toMatchObject({ "tool_calls/theirs": 1, "tool_calls/own": 1, tool_errors: 1 });
  expect(log).toEqual(["closed"]);
});
