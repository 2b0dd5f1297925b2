import { createRandom, isHeldOut, type Task, taskHash } from "@hone/core";
import { expect, test } from "vitest";
import { demonstrate } from "./demonstrate.ts";
import { kindAt, phases } from "./mixture.ts";
import { working } from "./skills/arithmetic.ts";
import { skills } from "./skills/index.ts";
import { type AnySkill, environmentOf, trainingTasks } from "./skills/skill.ts";
import { withNoise } from "./spoil.ts";

async function some(skill: AnySkill, kind: string, count: number, noise = 0) {
  const environment = await environmentOf(skill);
  const random = createRandom(`test/${skill.name}/${kind}`);
  const tasks: Task[] = [];
  for await (const task of trainingTasks(skill, random.fork("tasks"))) if (tasks.push(task) > count) break;
  return Promise.all(
    tasks.slice(1).map((task, index) => {
      const other = tasks[index] ?? task;
      return demonstrate({ skill, environment, kind, task, other, noise, random: random.fork(task.id) });
    }),
  );
}

test.each(skills.map((skill) => [skill.name, skill] as const))(
  "%s: clean demonstrations are right, poor ones are worse",
  async (_name, skill) => {
    const mean = (rewards: readonly number[]): number => rewards.reduce((sum, one) => sum + one, 0) / rewards.length;
    const clean = (await some(skill, "clean", 20)).map(({ reward }) => reward);
    const least = skill.cleanReward ?? 1;
    if (least === 1) expect(Math.min(...clean)).toBe(1);
    expect(Math.max(...clean)).toBeGreaterThanOrEqual(least);
    for (const kind of Object.keys(skill.kinds).filter((kind) => kind !== "clean")) {
      const rewards = (await some(skill, kind, 20)).map(({ reward }) => reward);
      expect({ kind, isWorse: mean(rewards) < mean(clean) }).toEqual({ kind, isWorse: true });
    }
  },
);

test.each(skills.map((skill) => [skill.name, skill] as const))(
  "%s: what is demonstrated is never held out",
  async (_name, skill) => {
    let read = 0;
    for await (const task of trainingTasks(skill, createRandom(3))) {
      const { id: _id, ...fields } = task;
      expect(isHeldOut(taskHash(fields))).toBe(false);
      if (++read === 200) break;
    }
  },
);

test("the calculator is called with the expression that was asked, and its answer is what is boxed", async () => {
  const calculator = skills.find(({ name }) => name === "calculator");
  if (calculator === undefined) throw new Error("no such skill");
  const [one] = await some(calculator, "clean", 1);
  const [asked, call, result, answer] = one?.messages ?? [];
  expect(one?.tools.map(({ name }) => name)).toEqual(["calculator"]);
  expect(call).toMatchObject({ toolCalls: [{ name: "calculator" }] });
  const written = call?.role === "assistant" ? call.toolCalls?.[0]?.arguments : undefined;
  const { expression } = JSON.parse(written ?? "{}") as { readonly expression?: string };
  expect(asked?.content).toContain(`Calculate ${expression}.`);
  expect(answer?.content).toBe(`\\boxed{${String(result?.content)}}`);
});

test.each([
  [{ a: 37, operation: "+", b: 45 }, "7+5=12 3+4+1=8"],
  [{ a: 7, operation: "+", b: 45 }, "7+5=12 0+4+1=5"],
  [{ a: 82, operation: "-", b: 45 }, "12-5=7 8-4-1=3"],
  [{ a: 37, operation: "*", b: 4 }, "7*4=28 3*4+2=14"],
  [{ a: 0, operation: "-", b: 0 }, "0-0=0"],
] as const)("%j is worked out as %s", (problem, steps) => {
  expect(working(problem)).toBe(steps);
});

test("every step of the working holds, and the digits add up to the answer", () => {
  for (let a = 0; a < 100; a++) {
    for (const [operation, b] of [
      ["+", (a * 7) % 100] as const,
      ["-", (a * 7) % (a + 1)] as const,
      ["*", a % 10] as const,
    ]) {
      const steps = working({ a, operation, b }).split(" ");
      for (const step of steps) {
        const [left = "", right] = step.split("=");
        const factors = left.replace(/(\d+)\*(\d+)/, (_all, x: string, y: string) => String(Number(x) * Number(y)));
        const total = (factors.match(/[-+]?\d+/g) ?? []).reduce((sum, term) => sum + Number(term), 0);
        expect(`${step}: ${total}`).toBe(`${step}: ${right}`);
      }
      const results = steps.map((step) => Number(step.split("=")[1]));
      const answer = operation === "+" ? a + b : operation === "-" ? a - b : a * b;
      const last = results.length - 1;
      expect(results.reduce((sum, result, at) => sum + (at === last ? result : result % 10) * 10 ** at, 0)).toBe(
        answer,
      );
    }
  }
});

test("noise replaces letters and digits by their like and leaves the rest", () => {
  const text = "<b>Ab 12</b>\n";
  const noisy = withNoise(text, 1, createRandom(1));
  expect(noisy).toMatch(/^<[a-z ]>[a-z ]{2}[a-z ]\d\d<\/[a-z ]>\n$/);
  expect(withNoise(text, 0, createRandom(1))).toBe(text);
});

test("kinds come as often as their share says", () => {
  const share = { count: 0, poor: 0.6, kinds: { one: 1, two: 2 } };
  const drawn = Array.from({ length: 1000 }, (_, index) => kindAt(share, index / 1000));
  const count = (kind: string): number => drawn.filter((one) => one === kind).length;
  expect([count("one"), count("two"), count("clean")]).toEqual([200, 400, 400]);
});

test("every kind of the mixture exists", () => {
  for (const phase of Object.values(phases)) {
    for (const [name, { kinds = {} }] of Object.entries(phase)) {
      const known = Object.keys(skills.find((skill) => skill.name === name)?.kinds ?? {});
      expect({ name, unknown: Object.keys(kinds).filter((kind) => !known.includes(kind)) }).toEqual({
        name,
        unknown: [],
      });
    }
  }
});
