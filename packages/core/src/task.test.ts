import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, isHeldOut, Task, taskHash } from "./task.ts";

const json = fc.jsonValue({ maxDepth: 3 });

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe("canonicalJson", () => {
  test("equal values give equal text, whatever the order of keys", () => {
    expect(canonicalJson({ b: 1, a: [{ d: 2, c: null }] })).toBe('{"a":[{"c":null,"d":2}],"b":1}');
    fc.assert(fc.property(json, (value) => canonicalJson(value) === canonicalJson(reversed(value))));
  });

  test("the text is JSON of the value", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("the order of a list is part of it", () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});

describe("taskHash", () => {
  test("it is the fields alone: neither their order nor the id", () => {
    const hash = taskHash({ id: "a", question: "2+2", answer: "4" });
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(taskHash({ answer: "4", question: "2+2" })).toBe(hash);
    expect(taskHash({ id: "b", answer: "4", question: "2+2" })).toBe(hash);
    expect(taskHash({ answer: "5", question: "2+2" })).not.toBe(hash);
  });

  test("a hash stays what it is: ids and splits of old runs depend on it", () => {
    expect(taskHash({ question: "2+2", answer: "4" })).toBe("8bbbe307ef6926ee");
  });
});

test("one task in ten is held out", () => {
  const held = Array.from({ length: 5000 }, (_, index) => isHeldOut(taskHash({ index }))).filter(Boolean).length;
  expect(Math.abs(held / 5000 - 0.1)).toBeLessThan(0.02);
});

test("a task is an id and fields that survive JSON", () => {
  expect(Task.parse({ id: "a", question: "?", tags: ["x", { y: null }] })).toEqual({
    id: "a",
    question: "?",
    tags: ["x", { y: null }],
  });
  expect(Task.safeParse({ question: "?" }).error?.issues[0]?.path).toEqual(["id"]);
  expect(Task.safeParse({ id: "" }).success).toBe(false);
  expect(Task.safeParse({ id: "a", when: new Date() }).error?.issues[0]?.path).toEqual(["when"]);
});
