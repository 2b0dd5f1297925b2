import { expect, test } from "vitest";
import { encodeRow, TaskRow } from "./rows.ts";

const row = { env: "echo", task: { id: "t1", text: "hi" }, hash: "0123" };

test("gold replies of a task come back as they were written", () => {
  const written = TaskRow.parse({ ...row, gold: ["first\n", "second é", ""] });
  expect(TaskRow.parse(JSON.parse(encodeRow(written)))).toEqual({ ...row, gold: ["first\n", "second é", ""] });
});

test("a row without gold replies is whole, as rows were before they were kept", () => {
  const read = TaskRow.parse(row);
  expect(read).toEqual(row);
  expect(encodeRow(read)).not.toContain("gold");
});

test.each([
  ["a string", "hi"],
  ["numbers", [1]],
  ["null", null],
])("gold as %s is an error", (_what, gold) => {
  expect(TaskRow.safeParse({ ...row, gold }).success).toBe(false);
});
