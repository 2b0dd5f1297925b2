import { join } from "node:path";
import type { Model } from "@hone/core";
import { expect, test } from "vitest";
import { compareEvaluations } from "./compare.ts";
import { evaluate } from "./evaluate.ts";
import { renderComparison } from "./render.ts";
import { adder, addition, type AdditionOptions, sums, temporaryDirectory } from "./testing/environments.ts";

const right = adder(({ a, b }) => String(a + b), "right");
const notBelow = (least: number): Model => adder(({ a, b }) => (a >= least ? String(a + b) : "?"), `from-${least}`);

async function evaluated(
  root: string,
  model: Model,
  options: AdditionOptions & { readonly groupSize?: number } = {},
): Promise<string> {
  const directory = join(root, `${model.name}-${options.tasks?.length ?? "all"}`);
  await evaluate({ environment: addition(options), model, groupSize: options.groupSize ?? 1, directory });
  return directory;
}

test("tasks gained and lost, and the difference with its interval", async () => {
  await using folder = await temporaryDirectory();
  const below = adder(({ a, b }) => (a < 6 ? String(a + b) : "?"), "below-6");
  const a = await evaluated(folder.path, below, { groupSize: 2 });
  const b = await evaluated(folder.path, notBelow(2), { groupSize: 2 });
  const comparison = await compareEvaluations(a, b);
  expect(comparison).toMatchObject({
    a: { env: "addition", model: "below-6", mean: 0.6 },
    b: { model: "from-2", mean: 0.8 },
    tasks: 10,
    pairs: 20,
    difference: { mean: expect.closeTo(0.2, 12) },
    lost: [{ task: "sum-000", a: 1, b: 0, difference: -1 }, { task: "sum-001" }],
    notes: [],
  });
  expect(comparison.gained.map(({ task }) => task)).toEqual(["sum-006", "sum-007", "sum-008", "sum-009"]);
  const text = renderComparison(comparison);
  expect(text).toContain(
    "B - A: +0.200, 95 % interval -0.364 to +0.764 (10 tasks, 20 pairs). No difference can be told from these tasks.",
  );
  expect(text).toContain("gained 4      A      B   B - A\nsum-006   0.000  1.000  +1.000");
});

test("a steady gain is told from noise", async () => {
  await using folder = await temporaryDirectory();
  const [a, b] = [
    await evaluated(
      folder.path,
      adder(() => "?", "never"),
    ),
    await evaluated(folder.path, right),
  ];
  const comparison = await compareEvaluations(a, b);
  expect(comparison.difference).toMatchObject({ mean: 1, ci95: [1, 1] });
  expect(renderComparison(comparison)).toContain("B is better.");
  expect(renderComparison(await compareEvaluations(b, a))).toContain("A is better.");
});

test("different task sets are compared on what they share, with a note", async () => {
  await using folder = await temporaryDirectory();
  const changed = sums(6).map((task) => (task.id === "sum-001" ? { ...task, b: 50 } : task));
  const a = await evaluated(folder.path, right, { tasks: sums(4) });
  const b = await evaluated(folder.path, right, { tasks: changed });
  const comparison = await compareEvaluations(a, b);
  expect(comparison).toMatchObject({ tasks: 3, gained: [], lost: [] });
  expect(comparison.notes).toEqual([
    "The task sets differ: 0 tasks only in A, 2 tasks only in B. Compared: the 3 in both.",
    "Left out, the same id but other fields: 1 task.",
  ]);
});

test("failed rollouts are left out together with their partners", async () => {
  await using folder = await temporaryDirectory();
  const failing = adder(
    ({ a, b }) => (a === 0 ? { fail: { code: "server", message: "down" } } : String(a + b)),
    "failing",
  );
  const comparison = await compareEvaluations(
    await evaluated(folder.path, failing),
    await evaluated(folder.path, right),
  );
  expect(comparison).toMatchObject({
    tasks: 9,
    notes: ["Left out, no scored partner in the other evaluation: 1 rollout."],
  });
});

test("evaluations that share no task are refused", async () => {
  await using folder = await temporaryDirectory();
  const a = await evaluated(folder.path, right, { tasks: sums(2) });
  const b = await evaluated(folder.path, right, { tasks: sums(5).slice(2) });
  await expect(compareEvaluations(a, b)).rejects.toMatchObject({
    code: "different-tasks",
    message: expect.stringContaining("no task is in both"),
  });
  await expect(compareEvaluations(a, join(folder.path, "nowhere"))).rejects.toMatchObject({ code: "not-a-run" });
});
