import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import { calculate } from "./calculate.ts";
import definition from "./index.ts";

const call = (expression: string) => ({
  role: "assistant" as const,
  content: "",
  toolCalls: [{ id: "call", name: "calculator", arguments: JSON.stringify({ expression }) }],
});
/** Asks the tool what the prompt asks, and answers what the tool says. */
const careful = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `\\boxed{${String(last.content)}}`;
  return call(/Calculate (.*?)\./.exec(String(last?.content))?.[1] ?? "");
});

test.each([{}, { tool: false }, { minNumbers: 3, maxNumbers: 4, digits: 6 }])(
  "keeps the rules of an environment with %j",
  async (args) => {
    const checks = await checkEnvironment(definition.create(args));
    expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  },
);

test("whoever asks the calculator is right, and the call is counted", async () => {
  for (let seed = 0; seed < 20; seed++) {
    const environment = definition.create({ seed, maxNumbers: 4 });
    const [agent] = (await runOnce(environment, { model: careful })).agents;
    expect(agent).toMatchObject({ reward: 1, metrics: { "tool_calls/calculator": 1, tool_errors: 0, turns: 2 } });
  }
});

test("without the tool the same model has nothing to ask", async () => {
  const environment = definition.create({ tool: false });
  expect(environment.info.tools).toEqual([]);
  const { agents, nodes } = await runOnce(environment, { model: careful });
  expect(agents[0]).toMatchObject({ reward: 0 });
  expect(nodes.map(({ message }) => message.content)).toContain("There is no tool calculator. There are none.");
});

test.each([
  ["2 + 3 * 4", "14"],
  ["(2+3)*4", "20"],
  ["7 - 10 - 2", "-5"],
  ["-(3-5)*-2", "-4"],
  ["99999999999 * 99999999999", "9999999999800000000001"],
])("%s is %s", (expression, result) => {
  expect(calculate(expression)).toBe(result);
});

test.each([
  ["", "a number is missing at the end."],
  ["2 +", "a number is missing at the end."],
  ["2 / 3", '+, - or * is missing before "/".'],
  ["(2", "a closing bracket is missing at the end."],
  ["2 3", '+, - or * is missing before "3".'],
])("the model is told what is wrong with %j", (expression, message) => {
  expect(() => calculate(expression)).toThrow(message);
});

test("a wrong expression is an answer to the model, not the end", async () => {
  const model = scriptedModel((_request, { index }) => (index === 0 ? call("1 +") : call("1 + 1")));
  const { agents, failure } = await runOnce(definition.create({ maxTurns: 2 }), { model });
  expect(failure).toBeUndefined();
  expect(agents[0]?.metrics).toMatchObject({ tool_calls: 2, tool_errors: 1 });
});
