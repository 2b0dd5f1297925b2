import { checkEnvironment, runOnce, scriptedModel } from "@hone/env/testing";
import { expect, test } from "vitest";
import definition, { answerTo, type Problem } from "./index.ts";

const environment = definition.create({});
const score = async (reply: string) => (await runOnce(environment, { model: scriptedModel([reply]) })).agents[0];

async function problems(count: number, args: Parameters<typeof definition.create>[0], split: "train" | "eval" | "all") {
  const read: Problem[] = [];
  for await (const task of definition.create(args).tasks(split).head(count)) read.push(task as unknown as Problem);
  return read;
}
const text = ({ a, operation, b }: Problem): string => `${a} ${operation} ${b}`;

test("keeps the rules of an environment", async () => {
  const checks = await checkEnvironment(environment, { count: 40 });
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("only the right number in the last box scores", async () => {
  const [first] = await problems(1, {}, "all");
  const right = answerTo(first!);
  expect(await score(`7+5=12 so \\boxed{1} or \\boxed{ ${right} }`)).toMatchObject({
    reward: 1,
    metrics: { boxed: 1 },
  });
  expect(await score(`\\boxed{${right + 1}}`)).toMatchObject({ reward: 0, metrics: { boxed: 1 } });
  expect(await score(String(right))).toMatchObject({ reward: 0, metrics: { boxed: 0 } });
});

test("operands stay in their range and differences are not negative", async () => {
  for (const { a, operation, b } of await problems(500, { maxOperand: 20, maxFactor: 3 }, "all")) {
    expect(a).toBeLessThanOrEqual(20);
    expect(b).toBeLessThanOrEqual(operation === "*" ? 3 : 20);
    expect(answerTo({ a, operation, b })).toBeGreaterThanOrEqual(0);
  }
});

test("a problem that is held out never comes up in training, whatever the seed", async () => {
  const held = new Set((await problems(300, {}, "eval")).map(text));
  const seen = [...(await problems(2000, {}, "train")), ...(await problems(2000, { seed: 7 }, "train"))].map(text);
  expect(seen.filter((problem) => held.has(problem))).toEqual([]);
});

test("problems differ by seed and are the same in every run", async () => {
  expect(await problems(5, { seed: 1 }, "all")).toEqual(await problems(5, { seed: 1 }, "all"));
  expect(await problems(5, { seed: 1 }, "all")).not.toEqual(await problems(5, { seed: 2 }, "all"));
});
