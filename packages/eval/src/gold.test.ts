import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EnvGroup, type GoldOf } from "@hone/env";
import { openRun } from "@hone/store";
import { describe, expect, test } from "vitest";
import { compareEvaluations } from "./compare.ts";
import { readMatrix } from "./eval-config.ts";
import { evaluate } from "./evaluate.ts";
import { evaluateMatrix } from "./matrix.ts";
import { rescore } from "./rescore.ts";
import { adder, addition, sums, temporaryDirectory, usuallyRight } from "./testing/environments.ts";
import { withMembers } from "./with-members.ts";

const model = adder(usuallyRight);
/** The same, and nobody knows what is right. */
const without = () => withMembers(addition(), {});

async function goldsOf(directory: string): Promise<Map<string, readonly string[] | undefined>> {
  const golds = new Map<string, readonly string[] | undefined>();
  for await (const { value } of (await openRun(directory)).read("tasks")) {
    expect(Object.hasOwn(value, "gold")).toBe(value.gold !== undefined);
    golds.set(value.task.id, value.gold);
  }
  return golds;
}
const right = new Map(sums(10).map(({ id, a, b }) => [id, [String(a + b)]]));

describe("an evaluation", () => {
  test("keeps the computed gold replies of each task", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    await evaluate({ environment: addition(), model, directory });
    expect(await goldsOf(directory)).toEqual(right);
  });

  test("keeps those of a group of environments, by the member's own task", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const environment = new EnvGroup({ name: "both", members: { sums: addition(), plain: without() } });
    await evaluate({ environment, model, numTasks: 4, directory });
    const golds = [...(await goldsOf(directory))];
    expect(golds).toEqual([
      ["sums/sum-000", ["0"]],
      ["plain/sum-000", undefined],
      ["sums/sum-001", ["8"]],
      ["plain/sum-001", undefined],
    ]);
  });

  test("asks for them once for each row that it writes, and never for nothing", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const asked: string[] = [];
    const goldOf: GoldOf = (task) => {
      asked.push(task.id);
      return ["right"];
    };
    const options = { environment: addition(), model, goldOf, groupSize: 3 };
    await evaluate({ ...options, numTasks: 2 });
    expect(asked).toEqual([]);
    await evaluate({ ...options, numTasks: 2, directory });
    await evaluate({ ...options, numTasks: 4, directory, resume: true });
    expect(asked).toEqual(["sum-000", "sum-001", "sum-002", "sum-003"]);
    expect((await goldsOf(directory)).get("sum-003")).toEqual(["right"]);
  });

  test.each<[string, GoldOf | undefined]>([
    ["has none", undefined],
    [
      "throws",
      () => {
        throw new Error("no such answer");
      },
    ],
    ["is a promise that fails", (async () => Promise.reject(new Error("no such answer"))) as unknown as GoldOf],
  ])("is the same where gold %s, without it", async (_what, goldOf) => {
    await using folder = await temporaryDirectory();
    const [directory, plain] = [join(folder.path, "eval"), join(folder.path, "plain")];
    const environment = without();
    const evaluation = await evaluate({ environment, model, directory, ...(goldOf === undefined ? {} : { goldOf }) });
    expect(evaluation).toMatchObject({ rollouts: 10, failed: 0, notes: [] });
    await evaluate({ environment, model, directory: plain });
    const tasks = await readFile(join(directory, "tasks.jsonl"), "utf8");
    expect(tasks).not.toContain("gold");
    expect(tasks).toBe(await readFile(join(plain, "tasks.jsonl"), "utf8"));
  });

  test("shows no model what gold did to its task", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    const seen: string[] = [];
    const watching = adder(({ a, b }) => {
      seen.push(`${a} + ${b}`);
      return "";
    });
    const goldOf: GoldOf = (task) => [JSON.stringify(Object.assign(task, { a: 100, b: 200 }))];
    await evaluate({ environment: addition({ tasks: sums(2) }), model: watching, goldOf, directory });
    expect(seen.sort()).toEqual(["0 + 0", "1 + 7"]);
    expect((await goldsOf(directory)).get("sum-001")?.[0]).toContain("200");
  });

  test("of the first tasks only keeps theirs", async () => {
    await using folder = await temporaryDirectory();
    const { config } = await readMatrix({
      files: [{ path: "eval.toml", text: 'model = "m"\n[[env]]\nid = "addition"\nmax_tasks = 2' }],
    });
    const directory = join(folder.path, "eval");
    await evaluateMatrix({
      config,
      loadEnvironment: async () => ({ environment: addition() }),
      resolveModel: async () => ({ model }),
      directoryOf: () => directory,
    });
    expect([...(await goldsOf(directory)).values()]).toEqual([["0"], ["8"]]);
  });
});

describe("results", () => {
  test("from before gold was kept are resumed, scored again and compared with new ones", async () => {
    await using folder = await temporaryDirectory();
    const [old, fresh] = [join(folder.path, "old"), join(folder.path, "new")];
    await evaluate({ environment: without(), model, numTasks: 5, directory: old });
    await evaluate({ environment: addition(), model, directory: fresh });
    await evaluate({ environment: addition(), model, directory: old, resume: true });
    const golds = await goldsOf(old);
    expect(golds.get("sum-004")).toBeUndefined();
    expect(golds.get("sum-005")).toEqual(right.get("sum-005"));
    expect(await compareEvaluations(old, fresh)).toMatchObject({ tasks: 10, difference: { mean: 0 }, notes: [] });
    const rescored = await rescore({ directory: old, environment: addition() });
    expect(rescored).toMatchObject({ changed: 0, after: { rollouts: 10 } });
    expect(await goldsOf(`${old}-rescored`)).toEqual(right);
  });

  test("that an environment without gold scores again have none, and their scores", async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "eval");
    await evaluate({ environment: addition(), model, directory });
    expect(await rescore({ directory, environment: without() })).toMatchObject({ changed: 0, after: { rollouts: 10 } });
    expect(new Set((await goldsOf(`${directory}-rescored`)).values())).toEqual(new Set([undefined]));
  });
});
