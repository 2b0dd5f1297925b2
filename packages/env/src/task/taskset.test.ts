import { isHeldOut, type Task, taskHash, type Taskset } from "@hone/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endless, interleave, split, tasksetFrom } from "./taskset.ts";

async function read<Fields>(taskset: Taskset<Fields>): Promise<Task<Fields>[]> {
  const tasks: Task<Fields>[] = [];
  for await (const task of taskset) tasks.push(task);
  return tasks;
}
const idsOf = async (taskset: Taskset): Promise<string[]> => (await read(taskset)).map((task) => task.id);
const numbered = (count: number): { readonly id: number }[] => Array.from({ length: count }, (_, id) => ({ id }));

/** Counts what is pulled, and whether it was told to stop. */
function watched(): { pulled: number; isClosed: boolean; rows: () => Generator<{ n: number }> } {
  const watch = { pulled: 0, isClosed: false, rows };
  function* rows(): Generator<{ n: number }> {
    try {
      for (let n = 0; ; n++) {
        watch.pulled += 1;
        yield { n };
      }
    } finally {
      watch.isClosed = true;
    }
  }
  return watch;
}

describe("ids", () => {
  test("a row keeps its own id, as a string", async () => {
    expect(await idsOf(tasksetFrom<object>([{ id: "first" }, { id: 7 }]))).toEqual(["first", "7"]);
  });

  test("a row without one gets the hash of its fields, whatever their order", async () => {
    const [one, other] = await read(
      tasksetFrom<object>([
        { a: 1, b: 2 },
        { b: 2, a: 1, id: null },
      ]),
    );
    expect(one?.id).toBe(taskHash({ a: 1, b: 2 }));
    expect(one?.id).toMatch(/^[0-9a-f]{16}$/);
    expect(other?.id).toBe(taskHash({ a: 1, b: 2 }));
  });

  test("map keeps the id unless the change gives one", async () => {
    const tasks = tasksetFrom([{ id: "a", n: 1 }]);
    expect(await read(tasks.map(({ n }) => ({ double: 2 * n })))).toEqual([{ id: "a", double: 2 }]);
    expect(await idsOf(tasks.map(() => ({ id: "b" })))).toEqual(["b"]);
  });
});

describe("sources", () => {
  test("lists, functions of either kind of iterable and tasksets give the same tasks, as often as they are read", async () => {
    const rows = [{ q: "a" }, { q: "b" }];
    const sources = [
      tasksetFrom(rows),
      tasksetFrom(() => rows),
      tasksetFrom(function* () {
        yield* rows;
      }),
      tasksetFrom(async function* () {
        yield* rows;
      }),
    ];
    for (const taskset of sources) {
      expect((await read(taskset)).map(({ q }) => q)).toEqual(["a", "b"]);
      expect((await read(taskset)).map(({ q }) => q)).toEqual(["a", "b"]);
      expect(tasksetFrom(taskset)).toBe(taskset);
    }
  });

  test("a list knows its size, a function only when told", () => {
    expect(tasksetFrom(numbered(3)).size).toBe(3);
    expect(tasksetFrom(() => numbered(3)).size).toBeUndefined();
    expect(tasksetFrom(() => numbered(3), { size: 3 }).size).toBe(3);
    expect(() => tasksetFrom(numbered(3), { size: 4 })).toThrow("told its size");
  });

  test("a bare generator is refused: it could be read only once", async () => {
    const generator = numbered(1).values();
    // @ts-expect-error not a TaskSource
    expect(() => tasksetFrom(generator)).toThrow("Tasks must be a list");
    const same = tasksetFrom(() => generator);
    expect(await read(same)).toHaveLength(1);
    await expect(read(same)).rejects.toThrow("the same generator twice");
  });

  test("what cannot be read row by row is refused", async () => {
    await expect(read(tasksetFrom(() => 3 as unknown as []))).rejects.toThrow("row by row");
    expect(() => tasksetFrom(null as unknown as [])).toThrow("Tasks must be a list");
  });

  test("an endless set that ends is an error, not a short run", async () => {
    await expect(read(endless(() => numbered(2)))).rejects.toThrow("came to an end");
  });
});

describe("rows that are not plain data", () => {
  const wrong = (row: unknown): Promise<unknown> => read(tasksetFrom([{ fine: true }, row as object]));

  test("are an error that names the row and the member", async () => {
    await expect(wrong({ when: new Date(0) })).rejects.toThrow("Row 1, member when is not plain JSON data: a Date.");
    await expect(wrong({ steps: [1, { tags: new Set() }] })).rejects.toThrow("member steps[1].tags");
    await expect(wrong({ n: Number.NaN })).rejects.toThrow("NaN");
    await expect(wrong({ n: 1n })).rejects.toThrow("a bigint");
    await expect(wrong({ list: [undefined] })).rejects.toThrow("member list[0]");
    await expect(wrong({ go: () => 1 })).rejects.toThrow("a function");
    await expect(wrong({ id: true })).rejects.toThrow("Row 1 has an id that is neither text nor a number");
  });

  test("and so are rows that are no objects, and circles", async () => {
    await expect(wrong("text")).rejects.toThrow("Row 1 is not plain JSON data: a string.");
    await expect(wrong([1])).rejects.toThrow("an array");
    await expect(wrong(null)).rejects.toThrow("null");
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    await expect(wrong(circle)).rejects.toThrow("a circle");
  });

  test("a member that is undefined is left out by JSON and does no harm", async () => {
    await expect(wrong({ maybe: undefined })).resolves.toHaveLength(2);
  });

  test("every value that JSON can hold passes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const text = JSON.stringify({ value });
        const [task] = await read(tasksetFrom([JSON.parse(text) as object]));
        const { id: _id, ...fields } = task as Task<object>;
        expect(JSON.stringify(fields)).toBe(text);
      }),
    );
  });

  test("map is held to the same", async () => {
    const tasks = tasksetFrom([{ n: 1 }]).map(() => ({ when: new Date(0) }) as unknown as { when: string });
    await expect(read(tasks)).rejects.toThrow("Row 0, member when");
  });
});

describe("head", () => {
  test("stops the source after that many rows", async () => {
    const watch = watched();
    expect(await read(endless(watch.rows).head(3))).toHaveLength(3);
    expect(watch).toMatchObject({ pulled: 3, isClosed: true });
  });

  test("of nothing does not start it", async () => {
    const watch = watched();
    expect(await read(endless(watch.rows).head(0))).toEqual([]);
    expect(watch.pulled).toBe(0);
  });

  test("knows its size where the source does", () => {
    expect(tasksetFrom(numbered(5)).head(3).size).toBe(3);
    expect(tasksetFrom(numbered(2)).head(3).size).toBe(2);
    expect(endless(() => numbered(1)).head(3).size).toBe(3);
    expect(tasksetFrom(() => numbered(5)).head(3).size).toBeUndefined();
  });

  test("a reader that leaves early closes the source, through every layer", async () => {
    const watch = watched();
    const layered = split(
      endless(watch.rows).map((task) => ({ n: task.n + 1 })),
      "train",
    ).head(100);
    for await (const task of interleave({ layered })) if (task.n > 3) break;
    expect(watch.isClosed).toBe(true);
    expect(watch.pulled).toBeLessThan(20);
  });

  test("refuses a count that is none", () => {
    for (const count of [-1, 1.5, Number.NaN]) expect(() => tasksetFrom([]).head(count)).toThrow("head needs a count");
  });
});

describe("shuffle", () => {
  test("gives the same order for the same seed and another for another", async () => {
    const tasks = tasksetFrom(numbered(50));
    const once = await idsOf(tasks.shuffle(1));
    expect(await idsOf(tasks.shuffle(1))).toEqual(once);
    expect(await idsOf(tasksetFrom(() => numbered(50)).shuffle(1))).toEqual(once);
    expect(await idsOf(tasks.shuffle(2))).not.toEqual(once);
  });

  test("loses and repeats nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.integer(), async (count, seed) => {
        const ids = await idsOf(tasksetFrom(numbered(count)).shuffle(seed));
        expect(ids.map(Number).sort((a, b) => a - b)).toEqual(numbered(count).map(({ id }) => id));
      }),
    );
  });

  test("is refused for an endless set, until it is bounded", async () => {
    const tasks = endless(watched().rows);
    expect(() => tasks.shuffle(1)).toThrow("An endless taskset cannot be shuffled.");
    expect(await read(tasks.head(4).shuffle(1))).toHaveLength(4);
  });

  test("of a set that yields more than it said is refused before memory runs out", async () => {
    const watch = watched();
    await expect(read(tasksetFrom(watch.rows, { size: 10 }).shuffle(1))).rejects.toThrow("More than 10 tasks arrived");
    expect(watch).toMatchObject({ pulled: 11, isClosed: true });
  });
});

describe("split", () => {
  const tasks = tasksetFrom(Array.from({ length: 400 }, (_, n) => ({ n })));

  test("train and eval share no task and are all of them together; about one in ten is held out", async () => {
    const [train, held, all] = await Promise.all([
      idsOf(split(tasks, "train")),
      idsOf(split(tasks, "eval")),
      idsOf(tasks),
    ]);
    expect([...train, ...held].sort()).toEqual([...all].sort());
    expect(held.length).toBeGreaterThan(20);
    expect(held.length).toBeLessThan(65);
    expect(split(tasks, "all")).toBe(tasks);
  });

  test("goes by the fields alone, so an id changes nothing", async () => {
    const renamed = tasks.map(({ n }) => ({ id: `task-${n}`, n }));
    const held = await read(split(renamed, "eval"));
    expect(held.map(({ n }) => n)).toEqual((await read(split(tasks, "eval"))).map(({ n }) => n));
    for (const task of held) expect(isHeldOut(taskHash(task))).toBe(true);
  });

  test("of an endless set is endless, of a list only reading tells", () => {
    expect(
      split(
        endless(() => numbered(1)),
        "eval",
      ).size,
    ).toBe(Number.POSITIVE_INFINITY);
    expect(split(tasks, "eval").size).toBeUndefined();
  });
});

describe("interleave", () => {
  test("takes one of each in turn, prefixes ids, and goes on with those that last", async () => {
    const both = interleave({ maths: tasksetFrom(numbered(3)), words: tasksetFrom(numbered(1)) });
    expect(await idsOf(both)).toEqual(["maths/0", "words/0", "maths/1", "maths/2"]);
    expect(both.size).toBe(4);
  });

  test("knows its size only when every member does", () => {
    const known = tasksetFrom(numbered(1));
    const unknown = tasksetFrom(() => numbered(1));
    expect(interleave({ known, unknown }).size).toBeUndefined();
    expect(interleave({ unknown, forever: endless(() => numbered(1)) }).size).toBe(Number.POSITIVE_INFINITY);
    expect(interleave({}).size).toBe(0);
  });

  test("closes the others when one fails", async () => {
    const watch = watched();
    const broken = tasksetFrom(() => [{ n: 1 }, { n: Number.NaN }]);
    await expect(read(interleave({ broken, other: endless(watch.rows) }))).rejects.toThrow("NaN");
    expect(watch.isClosed).toBe(true);
  });

  test("refuses a name with a slash: ids are routed by it", () => {
    expect(() => interleave({ "a/b": tasksetFrom([]) })).toThrow('"a/b" cannot start a task id');
  });
});
