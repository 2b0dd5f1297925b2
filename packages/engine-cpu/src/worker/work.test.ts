import { expect, test } from "vitest";
import { Line, type LineJob, waitFor, type Work } from "./work.ts";

interface Log {
  readonly line: Line;
  readonly seen: string[];
  readonly add: (name: string, start: () => Work<unknown>) => LineJob<unknown>;
  /** Slices until nothing is ready. */
  readonly run: () => void;
}

function started(): Log {
  const seen: string[] = [];
  const line = new Line(() => {});
  return {
    line,
    seen,
    add: (name, start) => {
      const job = {
        start,
        resolve: (value: unknown) => void seen.push(`${name} gave ${String(value)}`),
        reject: (error: unknown) => void seen.push(`${name} failed: ${(error as Error).message}`),
      };
      line.add(job);
      return job;
    },
    run: () => {
      while (line.isReady) line.slice();
    },
  };
}

function* slices(seen: string[], name: string, count: number): Work<number> {
  for (let slice = 0; slice < count; slice++) {
    seen.push(`${name}${slice}`);
    yield;
  }
  return count;
}

test("works run in order, a slice at a time", () => {
  const { line, seen, add, run } = started();
  add("a", () => slices(seen, "a", 2));
  add("b", () => slices(seen, "b", 1));
  line.slice();
  expect(seen).toEqual(["a0"]);
  run();
  expect(seen).toEqual(["a0", "a1", "a gave 2", "b0", "b gave 1"]);
  expect(line.isReady).toBe(false);
});

test("a work that fails does not stop those behind it", () => {
  const { seen, add, run } = started();
  add("a", function* () {
    yield;
    throw new Error("no");
  });
  add("b", () => slices(seen, "b", 0));
  run();
  expect(seen).toEqual(["a failed: no", "b gave 0"]);
});

test("a work that waits takes no slices, holds those behind it back, and gets what it waited for", async () => {
  const seen: string[] = [];
  let woken = 0;
  const line = new Line(() => woken++);
  const job = (start: () => Work<string>) => ({
    start,
    resolve: (value: string) => void seen.push(value),
    reject: (error: unknown) => void seen.push(`failed ${String(error)}`),
  });
  line.add(
    job(function* () {
      const first: string = yield* waitFor(Promise.resolve("read"));
      try {
        yield* waitFor(Promise.reject(new Error("broken")));
      } catch (error) {
        return `${first}, then ${(error as Error).message}`;
      }
      return "never";
    }),
  );
  line.add(
    job(function* () {
      yield;
      return "second";
    }),
  );
  for (let wait = 0; wait < 2; wait++) {
    line.slice();
    const before = woken;
    expect(line.isReady).toBe(false);
    line.slice();
    expect(seen).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(woken).toBe(before + 1);
    expect(line.isReady).toBe(true);
  }
  while (line.isReady) line.slice();
  expect(seen).toEqual(["read, then broken", "second"]);
});

test("a work that is taken out cleans up and is not settled, running or not", () => {
  const { line, seen, add, run } = started();
  const running = add("a", function* () {
    try {
      yield;
      yield;
    } finally {
      seen.push("cleaned");
    }
  });
  const waiting = add("b", () => slices(seen, "b", 3));
  add("c", () => slices(seen, "c", 0));
  line.slice();
  line.remove(running);
  line.remove(waiting);
  run();
  expect(seen).toEqual(["cleaned", "c gave 0"]);
});
