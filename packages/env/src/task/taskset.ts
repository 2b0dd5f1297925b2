// Task: where tasks come from. Rows become tasks with a stable id; sets are lazy, may be read again and again, and stop their source early.
// Invariant: a row is plain JSON data and has an id once it leaves here. Ids are not compared with each other: whoever must know checks.
import {
  createRandom,
  type Data,
  HoneError,
  isHeldOut,
  type Split,
  type Task,
  taskHash,
  type TaskId,
  type Taskset,
} from "@hone/core";
import { findNotPlain } from "./plain.ts";

/** Rows, a taskset, or a function that starts reading: a bare generator could be read only once. */
export type TaskSource<Fields> = readonly Fields[] | Taskset<Fields> | (() => Rows<Fields>);
export type Rows<Fields> = Iterable<Fields> | AsyncIterable<Fields>;

export interface TasksetOptions {
  /** How many rows a function gives, where that is known; Infinity when it never ends. */
  readonly size?: number;
}

const mostShuffled = 1_000_000;

export function tasksetFrom<Fields>(source: TaskSource<Fields>, options: TasksetOptions = {}): Taskset<Fields> {
  if (typeof source === "function") {
    const start = restarted(source);
    return createTaskset(options.size, () => tasksOf(start()));
  }
  if (options.size !== undefined) throw wrongSource("Only a function of rows is told its size.");
  if (Array.isArray(source)) return createTaskset(source.length, () => tasksOf(source as readonly Fields[]));
  if (isTaskset<Fields>(source)) return source;
  throw wrongSource("Tasks must be a list, a taskset or a function that gives rows.");
}

/** Tasks that never run out: `endless(function* () { ... })`. Bound it with `head` where an end is needed. */
export function endless<Fields>(source: () => Rows<Fields>): Taskset<Fields> {
  const start = restarted(source);
  return createTaskset(Number.POSITIVE_INFINITY, async function* () {
    yield* tasksOf(start());
    throw new HoneError("An endless taskset came to an end.", {
      code: "task-source",
      hint: "Let its function loop forever, or use tasksetFrom for rows that end.",
    });
  });
}

/** The tasks to train on, those held out for evaluation (one in ten, by a hash of the fields), or all. */
export function split<Fields>(taskset: Taskset<Fields>, which: Split): Taskset<Fields> {
  if (which === "all") return taskset;
  const isKept = which === "eval";
  const size = taskset.size === Number.POSITIVE_INFINITY || taskset.size === 0 ? taskset.size : undefined;
  return createTaskset(size, async function* () {
    for await (const task of taskset) if (isHeldOut(taskHash(task)) === isKept) yield task;
  });
}

/** One task of each in turn until all are read, with ids `name/id`. */
export function interleave<Fields>(tasksets: Readonly<Record<string, Taskset<Fields>>>): Taskset<Fields> {
  const members = Object.entries(tasksets);
  for (const [name] of members) {
    if (name === "" || name.includes("/"))
      throw wrongSource(`"${name}" cannot start a task id: it is empty or has a /.`);
  }
  return createTaskset<Fields>(totalSize(Object.values(tasksets)), async function* () {
    let open = members.map(([name, taskset]) => ({ name, iterator: taskset[Symbol.asyncIterator]() }));
    try {
      while (open.length > 0) {
        for (const source of open) {
          const next = await source.iterator.next();
          if (next.done === true) open = open.filter((other) => other !== source);
          else yield { ...next.value, id: `${source.name}/${next.value.id}` as TaskId };
        }
      }
    } finally {
      await Promise.all(open.map(async ({ iterator }) => await iterator.return?.()));
    }
  });
}

/** Endless when one is; unknown when one is and none is endless. */
function totalSize(tasksets: readonly Taskset[]): number | undefined {
  let total = 0;
  let isKnown = true;
  for (const { size } of tasksets) {
    if (size === undefined) isKnown = false;
    else total += size;
  }
  return isKnown || total === Number.POSITIVE_INFINITY ? total : undefined;
}

function createTaskset<Fields>(size: number | undefined, read: () => AsyncIterable<Task<Fields>>): Taskset<Fields> {
  return {
    size,
    [Symbol.asyncIterator]: () => read()[Symbol.asyncIterator](),
    head: (count) => {
      if (!Number.isSafeInteger(count) || count < 0) throw wrongSource(`head needs a count, not ${count}.`);
      const shorter = size === undefined ? undefined : Math.min(size, count);
      return createTaskset(count === 0 ? 0 : shorter, () => firstOf(read, count));
    },
    shuffle: (seed) => {
      if (size === Number.POSITIVE_INFINITY) {
        throw new HoneError("An endless taskset cannot be shuffled.", {
          code: "endless-taskset",
          hint: "Bound it first: tasks.head(10_000).shuffle(seed).",
        });
      }
      return createTaskset(size, async function* () {
        yield* createRandom(seed).shuffle(await collect(read, size === undefined ? mostShuffled : size));
      });
    },
    map: <Mapped extends Data<Mapped>>(change: (task: Task<Fields>) => Mapped) =>
      createTaskset<Mapped>(size, async function* () {
        let index = 0;
        for await (const task of read()) yield toTask(change(task), index++, task.id);
      }),
  };
}

async function* firstOf<Fields>(read: () => AsyncIterable<Task<Fields>>, count: number): AsyncGenerator<Task<Fields>> {
  if (count === 0) return;
  let left = count;
  for await (const task of read()) {
    yield task;
    if (--left === 0) return;
  }
}

async function collect<Fields>(read: () => AsyncIterable<Task<Fields>>, most: number): Promise<Task<Fields>[]> {
  const tasks: Task<Fields>[] = [];
  for await (const task of read()) {
    if (tasks.length === most) {
      throw new HoneError(`More than ${most.toLocaleString("en")} tasks arrived to be shuffled.`, {
        code: "too-many-tasks",
        hint: "Shuffling holds them all in memory. Bound the set with head, or give its size.",
      });
    }
    tasks.push(task);
  }
  return tasks;
}

async function* tasksOf<Fields>(rows: Rows<Fields>): AsyncGenerator<Task<Fields>> {
  let index = 0;
  if (Symbol.asyncIterator in rows) for await (const row of rows) yield toTask(row, index++);
  else for (const row of rows) yield toTask(row, index++);
}

/** The row's own id as a string, else `otherwise`, else the hash of its fields. */
function toTask<Fields>(row: Fields, index: number, otherwise?: TaskId): Task<Fields> {
  const problem = findNotPlain(row);
  if (problem !== undefined || typeof row !== "object" || row === null || Array.isArray(row)) {
    const member = problem === undefined || problem.member === "" ? "" : `, member ${problem.member}`;
    const found = problem?.found ?? (Array.isArray(row) ? "an array" : row === null ? "null" : `a ${typeof row}`);
    throw new HoneError(`Row ${index}${member} is not plain JSON data: ${found}.`, {
      code: "task-data",
      hint: "A task is an object of strings, finite numbers, booleans, null, arrays and objects.",
    });
  }
  const { id } = row as { readonly id?: unknown };
  if (typeof id === "string" && id !== "") return row as unknown as Task<Fields>;
  if (typeof id === "number") return { ...row, id: String(id) as TaskId };
  if (id === undefined || id === null || id === "") {
    return { ...row, id: otherwise ?? (taskHash(row) as TaskId) };
  }
  throw new HoneError(`Row ${index} has an id that is neither text nor a number.`, {
    code: "task-data",
    hint: "Leave it out: a hash of the fields becomes the id.",
  });
}

/** Calls the function for each reading, and notices one that hands out the same used-up generator. */
function restarted<Fields>(source: () => Rows<Fields>): () => Rows<Fields> {
  const started = new WeakSet<object>();
  return () => {
    const rows: unknown = source();
    const isIterable =
      typeof rows === "object" && rows !== null && (Symbol.iterator in rows || Symbol.asyncIterator in rows);
    if (!isIterable) throw wrongSource("The function of tasks gave nothing that can be read row by row.");
    if ("next" in rows && started.has(rows)) throw wrongSource("The function of tasks gave the same generator twice.");
    started.add(rows);
    return rows as Rows<Fields>;
  };
}

function isTaskset<Fields>(source: unknown): source is Taskset<Fields> {
  if (typeof source !== "object" || source === null) return false;
  return Symbol.asyncIterator in source && "head" in source && "shuffle" in source && "map" in source;
}

function wrongSource(message: string): HoneError {
  return new HoneError(message, {
    code: "task-source",
    hint: "Pass a list, or a function that starts anew each time: tasksetFrom(() => generate()).",
  });
}
