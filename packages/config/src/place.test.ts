import { expect, test } from "vitest";
import { formatPath, formatPlace, renderPlace } from "./place.ts";

const lines = (...text: string[]): string => text.join("\n");

test("a place is drawn with its line and a caret", () => {
  const place = { file: "run.toml", line: 6, column: 14, text: "group_size = 1" };
  expect(renderPlace(place, "env.0.group_size: too small, expected at least 2")).toBe(
    lines(
      "run.toml:6:14 env.0.group_size: too small, expected at least 2",
      "  6 | group_size = 1",
      "    |              ^",
    ),
  );
});

test("the gutter is as wide as the line number", () => {
  expect(renderPlace({ file: "a", line: 1234, column: 1, text: "x" }, "m")).toBe(
    lines("a:1234:1 m", "  1234 | x", "       | ^"),
  );
});

test("without its text a place is one line", () => {
  expect(renderPlace({ file: "a.toml", line: 1, column: 1 }, "model: missing")).toBe("a.toml:1:1 model: missing");
});

test("a place on the command line has no line number", () => {
  const place = { file: "--set a.b", line: 1, column: 1 };
  expect(renderPlace(place, "too small")).toBe("--set a.b: too small");
  expect(formatPlace(place)).toBe("--set a.b");
});

test("the caret stands under its character behind tabs, wide characters and combining marks", () => {
  expect(renderPlace({ file: "a", line: 1, column: 3, text: "\tx = 1" }, "m").split("\n")[2]).toBe("    | \t ^");
  expect(renderPlace({ file: "a", line: 1, column: 4, text: "日本🙂x" }, "m").split("\n")[2]).toBe("    |       ^");
  expect(renderPlace({ file: "a", line: 1, column: 3, text: "e\u0301x" }, "m").split("\n")[2]).toBe("    |  ^");
});

test("of a long line only the part around the caret is shown", () => {
  const text = `${"a".repeat(500)}X${"b".repeat(500)}`;
  const [, line = "", caret = ""] = renderPlace({ file: "a", line: 1, column: 501, text }, "m").split("\n");
  expect(line.length).toBeLessThan(140);
  expect(line[caret.indexOf("^")]).toBe("X");
});

test("a path is written as in a file", () => {
  expect(formatPath(["env", 0, "args", "a b", "c-d"])).toBe('env.0.args."a b".c-d');
});
