import { HoneError } from "@hone/core";
import * as fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { parseToml, readToml } from "./read-toml.ts";
import { toPlain } from "./tree.ts";

const lines = (...text: string[]): string => text.join("\n");

function messageOf(text: string): string {
  try {
    parseToml(text, "run.toml");
  } catch (error) {
    if (HoneError.is(error)) return error.message;
    throw error;
  }
  return "";
}

/** The first line of each issue. */
function issuesOf(text: string): string[] {
  return messageOf(text)
    .split("\n")
    .filter((line) => line.startsWith("run.toml:"));
}

test("dotted keys, tables, inline tables and arrays of tables give one value with places", () => {
  const toml = parseToml(
    lines(
      "# a comment",
      'a.b."c d" = 1',
      "[x.y]",
      "z = { p = [1, { q = true }] }",
      "[[env]]",
      'id = "one"',
      "[env.sampling]",
      "temperature = 0.5",
      "[[env]]",
      "id = 'two'",
    ),
    "run.toml",
  );
  expect(toml.value).toEqual({
    a: { b: { "c d": 1 } },
    x: { y: { z: { p: [1, { q: true }] } } },
    env: [{ id: "one", sampling: { temperature: 0.5 } }, { id: "two" }],
  });
  expect(toml.place(["a", "b", "c d"])).toEqual({ file: "run.toml", line: 2, column: 13, text: 'a.b."c d" = 1' });
  expect(toml.place(["a", "b", "c d"], "key")).toMatchObject({ line: 2, column: 5 });
  expect(toml.place(["x", "y", "z", "p", 1, "q"])).toMatchObject({ line: 4, column: 21 });
  expect(toml.place(["env", 0, "sampling", "temperature"])).toMatchObject({ line: 8, column: 15 });
  expect(toml.place(["env", 1])).toMatchObject({ line: 9, column: 3 });
  expect(toml.place(["env", 1, "id"])).toMatchObject({ line: 10, column: 6 });
  expect(toml.place(["env", 2])).toBeUndefined();
});

test("columns count characters, also behind characters of two UTF-16 units", () => {
  const toml = parseToml('a = { "🙂🙂" = 1, b = 2 }', "run.toml");
  expect(toml.place(["a", "b"])).toMatchObject({ line: 1, column: 21 });
});

test("Windows line ends and a byte order mark change nothing", () => {
  const toml = parseToml("\ufeffa = 1\r\n[t]\r\nb = 2\r\n", "run.toml");
  expect(toml.value).toEqual({ a: 1, t: { b: 2 } });
  expect(toml.place(["a"])).toMatchObject({ line: 1, column: 5 });
  expect(toml.place(["t", "b"])).toEqual({ file: "run.toml", line: 3, column: 5, text: "b = 2" });
  expect(messageOf("a = 1\r\nb = \r\n")).toBe(
    lines("run.toml:2:4 a value is missing after `=`", "  2 | b = ", "    |    ^"),
  );
});

test("dates stay text as written", () => {
  expect(parseToml("a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00", "run.toml").value).toEqual({
    a: "1979-05-27T07:32:00Z",
    b: "1979-05-27",
    c: "07:32:00",
  });
});

test("an integer that would be rounded is refused; the largest exact ones are kept", () => {
  expect(parseToml("a = 9007199254740991\nb = -9_007_199_254_740_991\nc = 0xff\nd = 1e300", "f").value).toEqual({
    a: 9007199254740991,
    b: -9007199254740991,
    c: 255,
    d: 1e300,
  });
  expect(issuesOf("a = [1, 9007199254740993]")).toEqual([
    "run.toml:1:9 9007199254740993 is too large to be kept exactly. Quote it to keep it as text.",
  ]);
});

test("a key named like a part of every object is a key like any other", () => {
  const { value } = parseToml("__proto__.polluted = true\nconstructor = 1", "run.toml");
  expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("a key set twice names the line of the first", () => {
  expect(messageOf("group_size = 1\n\ngroup_size = 2")).toBe(
    lines("run.toml:3:1 Key `group_size` is set twice, first on line 1.", "  3 | group_size = 2", "    | ^"),
  );
  expect(issuesOf("[a]\nx = 1\nx = 2\n[b]\n[a]\ny = 1\n[[c]]\n[[c]]\nz.p = 1\nz.p = 2\nz = 3")).toEqual([
    "run.toml:3:1 Key `x` is set twice, first on line 2.",
    "run.toml:5:2 Key `a` is set twice, first on line 1.",
    "run.toml:10:3 Key `p` is set twice, first on line 9.",
    "run.toml:11:1 Key `z` is set twice, first on line 9.",
  ]);
  expect(issuesOf("a = { b = 1, b = 2 }")).toEqual(["run.toml:1:14 Key `b` is set twice."]);
});

test.each([
  ["a = tiny", 'run.toml:1:5 unexpected character. Text needs quotes: `"tiny"`.'],
  ["a = [1, hone/tiny]", 'run.toml:1:9 unexpected character. Text needs quotes: `"hone/tiny"`.'],
  ["a = True", "run.toml:1:5 unexpected character. TOML writes `true`."],
  ["a = None", "run.toml:1:5 unexpected character. TOML has no null: leave the key out."],
  ["a = $x", "run.toml:1:5 unexpected character"],
  ['a = "b', "run.toml:1:7 the string is not closed"],
  ["a = 1 2", "run.toml:1:7 expected the end of the line"],
  ["a", "run.toml:1:2 expected `=` after the key"],
  ["a =", "run.toml:1:4 a value is missing after `=`"],
  ["a = # nothing\nb = 1", "run.toml:1:14 a value is missing after `=`"],
  ["a =\nb = 1", "run.toml:1:4 a value is missing after `=`"],
  ["[]", "run.toml:1:2 a key is missing"],
  ["[a\nb = 1", "run.toml:1:3 the table name is not closed with `]`"],
  ["[a\n[b]", "run.toml:1:3 the table name is not closed with `]`"],
  ["a = [1, 2", "run.toml:1:10 the array is not closed with `]`"],
  ["a = [\n  1,\n", "run.toml:1:6 the array is not closed with `]`"],
  ["a = { b = 1", "run.toml:1:12 the table is not closed with `}`"],
  ['a = """\nb = 1\n', "run.toml:1:8 the string is not closed"],
  ["a = [1,\n  2\n  3]", "run.toml:3:3 expected a comma, in the value that begins on line 1"],
  ["a = 007", "run.toml:1:5 leading zeros are not allowed"],
])("%j is one placed error", (text, message) => {
  expect(issuesOf(text)).toEqual([message]);
});

test("every broken statement is reported, and nothing that is well", () => {
  const text = lines(
    "model = tiny",
    "steps = 3",
    "[sampling",
    "temperature = 1",
    "[sampling]",
    "temperature = ",
    "args = {",
    "  a = 1",
    "  b = 2",
    "}",
    "stop = [1, 2",
    "seed = 1",
    "[[env]]",
    "id = 'a",
  );
  expect(issuesOf(text)).toEqual([
    'run.toml:1:9 unexpected character. Text needs quotes: `"tiny"`.',
    "run.toml:3:10 the table name is not closed with `]`",
    "run.toml:6:14 a value is missing after `=`",
    "run.toml:9:3 expected a comma, in the value that begins on line 7",
    "run.toml:12:1 unexpected character, in the value that begins on line 11",
    "run.toml:14:8 the string is not closed",
  ]);
});

test("the error carries the first place", () => {
  expect(() => parseToml("a = 1\nb = x", "run.toml")).toThrow(
    expect.objectContaining({ code: "config", at: { file: "run.toml", line: 2, column: 5, text: "b = x" } }),
  );
});

test("a file that is no TOML at all ends in errors, not in a hang", () => {
  expect(issuesOf(Array.from({ length: 400 }, () => "<html> & {").join("\n"))).toEqual([
    "run.toml:1:1 unexpected character",
  ]);
  expect(issuesOf(`a = ${"[".repeat(50_000)}`).length).toBeGreaterThan(0);
});

test("whatever a typing slip does to a file, the answer is a value or issues that stand inside the file", () => {
  const whole = lines(
    'model = "tiny" # c',
    "[sampling]",
    'stop = ["a",',
    '  """x',
    'y"""]',
    "[[env]]",
    "args = { max = 4, words = ['ü🙂'] }",
  );
  const slip = fc.tuple(
    fc.nat(whole.length),
    fc.nat(4),
    fc.constantFrom("", "[", "]", "{", '"', "'", "=", ".", "\n", "x"),
  );
  fc.assert(
    fc.property(fc.array(slip, { minLength: 1, maxLength: 3 }), (slips) => {
      const text = slips.reduce(
        (current, [at, length, put]) => current.slice(0, at) + put + current.slice(at + length),
        whole,
      );
      const { issues, table } = readToml(text, "run.toml");
      const isRead = issues.length === 0;
      for (const { at } of issues) {
        expect(at?.text).toBe(text.split("\n")[(at?.line ?? 0) - 1]);
        expect(at?.column).toBeLessThanOrEqual(Array.from(at?.text ?? "").length + 1);
      }
      expect(isRead ? toPlain(table) : undefined).toEqual(isRead ? parse(text) : undefined);
    }),
    { numRuns: 200 },
  );
});
