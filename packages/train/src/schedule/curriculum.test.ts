import { defineEnvironment, endless } from "@hone/env";
import fc from "fast-check";
import { expect, test } from "vitest";
import { noDifficulty, wordsEnvironment } from "../testing/words.ts";
import { openCurriculum } from "./curriculum.ts";
import { DifficultyConfig } from "./difficulty.ts";

async function take(curriculum: Awaited<ReturnType<typeof openCurriculum>>, count: number) {
  const tickets = [];
  for (let n = 0; n < count; n++) tickets.push(await curriculum.next());
  return tickets.flatMap((ticket) => ticket ?? []);
}
const counts = (names: readonly string[]) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((n) => n === name).length]));

test("environments take turns by their ratio, exactly", async () => {
  const environments = [
    wordsEnvironment("a", 9, { ratio: 2 }),
    wordsEnvironment("b", 9),
    wordsEnvironment("c", 9, { ratio: 0.5 }),
  ];
  const tickets = await take(await openCurriculum({ environments, difficulty: noDifficulty, seed: 0 }), 70);
  expect(counts(tickets.map(({ env }) => env))).toEqual({ a: 40, b: 20, c: 10 });
  expect(counts(tickets.slice(0, 7).map(({ env }) => env))).toEqual({ a: 4, b: 2, c: 1 });
});

test("sixty-four environments get their share as exactly as three", async () => {
  const environments = Array.from({ length: 64 }, (_, index) =>
    wordsEnvironment(`env-${index}`, 5, { ratio: 1 + (index % 4) }),
  );
  const tickets = await take(await openCurriculum({ environments, difficulty: noDifficulty, seed: 0 }), 16 * 10 * 5);
  const drawn = counts(tickets.map(({ env }) => env));
  expect(environments.map(({ name, ratio }) => (drawn[name] ?? 0) / ratio)).toEqual(environments.map(() => 5));
});

test("tasks that end with an error name their environment", async () => {
  const environment = defineEnvironment({
    name: "broken",
    tasks: endless(function* () {
      yield { id: "t0" };
      throw new TypeError("the file is gone");
    }),
    evalTasks: [{ id: "x" }],
    prompt: () => "",
    rewards: {},
  });
  const environments = [{ ...wordsEnvironment("broken", 1), environment }];
  const curriculum = await openCurriculum({ environments, difficulty: noDifficulty, seed: 0 });
  await expect(take(curriculum, 2)).rejects.toThrow(
    "The tasks of broken ended with an error: TypeError: the file is gone",
  );
});

test("pools are counted as groups come in, and restored", async () => {
  const difficulty = DifficultyConfig.parse({ easyThreshold: 0.9, hardThreshold: 0.1 });
  const open = () => openCurriculum({ environments: [wordsEnvironment("a", 6)], difficulty, seed: 0 });
  const curriculum = await open();
  const [first, second, third] = await take(curriculum, 3);
  curriculum.observe(first!, 1);
  curriculum.observe(second!, 0);
  curriculum.observe(third!, 0.5);
  curriculum.observe(first!, 0.95);
  expect(curriculum.pools()).toEqual({ a: { easy: 1, normal: 4, hard: 1 } });
  curriculum.observe(first!, 0.3);
  expect(curriculum.pools()).toEqual({ a: { easy: 0, normal: 5, hard: 1 } });
  const again = await open();
  await again.restore(curriculum.state());
  expect(again.pools()).toEqual(curriculum.pools());
  expect([1, 0.5, 0].map((mean) => curriculum.poolAt("a", mean))).toEqual(["easy", "normal", "hard"]);
});

test("every epoch has every task once, in another order", async () => {
  const curriculum = await openCurriculum({
    environments: [wordsEnvironment("a", 20)],
    difficulty: noDifficulty,
    seed: 3,
  });
  const tickets = await take(curriculum, 40);
  const [first, second] = [tickets.slice(0, 20), tickets.slice(20)].map((part) => part.map(({ task }) => task.id));
  expect(new Set(first).size).toBe(20);
  expect(new Set(second)).toEqual(new Set(first));
  expect(second).not.toEqual(first);
  expect(tickets.at(-1)?.epoch).toBe(1);
});

test("the tickets end with the epochs", async () => {
  const environments = [wordsEnvironment("a", 3), wordsEnvironment("b", 2)];
  const tickets = await take(await openCurriculum({ environments, difficulty: noDifficulty, seed: 0, epochs: 2 }), 99);
  expect(counts(tickets.map(({ env }) => env))).toEqual({ a: 6, b: 4 });
});

test("an endless set goes on in its own order, and is found again after a restart", async () => {
  const environment = defineEnvironment({
    name: "endless",
    tasks: endless(function* () {
      for (let n = 0; ; n++) yield { id: `t${n}`, n };
    }),
    evalTasks: [{ id: "x", n: -1 }],
    prompt: () => "",
    rewards: {},
  });
  const open = () =>
    openCurriculum({
      environments: [{ ...wordsEnvironment("endless", 1), environment }],
      difficulty: noDifficulty,
      seed: 0,
    });
  const whole = await take(await open(), 10);
  const first = await open();
  await take(first, 4);
  const second = await open();
  await second.restore(first.state());
  expect(whole.slice(4)).toEqual(await take(second, 6));
  expect(whole.map(({ task }) => task.id)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"]);
});

test("a curriculum restored from its state goes on as if nothing had happened", async () => {
  const difficulty = DifficultyConfig.parse({
    easyThreshold: 0.9,
    hardThreshold: 0.1,
    easyFraction: 0.2,
    hardFraction: 0.1,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(30),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 }),
      async (cut, rewards) => {
        const environments = [wordsEnvironment("a", 7, { ratio: 2 }), wordsEnvironment("b", 5)];
        const open = () => openCurriculum({ environments, difficulty, seed: 1 });
        const run = async (curriculum: Awaited<ReturnType<typeof open>>, from: number, to: number) => {
          const ids: string[] = [];
          for (let n = from; n < to; n++) {
            const ticket = await curriculum.next();
            if (ticket === undefined) break;
            ids.push(`${ticket.group} ${ticket.task.id} ${ticket.epoch}`);
            curriculum.observe(ticket, rewards[n] ?? 0);
          }
          return ids;
        };
        const whole = await run(await open(), 0, 60);
        const first = await open();
        const before = await run(first, 0, cut);
        const second = await open();
        await second.restore(JSON.parse(JSON.stringify(first.state())));
        expect([...before, ...(await run(second, cut, 60))]).toEqual(whole);
      },
    ),
    { numRuns: 20 },
  );
});

test("easy tasks are left alone but for their fraction", async () => {
  const environments = [wordsEnvironment("a", 10)];
  const seen = async (easyFraction: number) => {
    const difficulty = DifficultyConfig.parse({ easyThreshold: 1, easyFraction });
    const curriculum = await openCurriculum({ environments, difficulty, seed: 0 });
    for (const ticket of await take(curriculum, 10)) curriculum.observe(ticket, ticket.task.id < "a-5" ? 1 : 0.5);
    const later = await take(curriculum, 400);
    expect(curriculum.pools()).toEqual({ a: { easy: 5, normal: 5, hard: 0 } });
    return later.filter(({ task }) => task.id < "a-5").length / 400;
  };
  expect(await seen(0)).toBe(0);
  expect(await seen(0.25)).toBeCloseTo(0.25, 1);
});

test("when every task is easy, tasks still come", async () => {
  const difficulty = DifficultyConfig.parse({ easyThreshold: 0.5 });
  const curriculum = await openCurriculum({ environments: [wordsEnvironment("a", 3)], difficulty, seed: 0 });
  for (const ticket of await take(curriculum, 3)) curriculum.observe(ticket, 1);
  expect(await take(curriculum, 5)).toHaveLength(5);
});

test("an environment without tasks to train on says why", async () => {
  await expect(
    openCurriculum({ environments: [wordsEnvironment("a", 0)], difficulty: noDifficulty, seed: 0 }),
  ).rejects.toThrow("a has no tasks to train on");
});
