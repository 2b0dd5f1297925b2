import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { readConfig, type ReadConfigOptions } from "./read-config.ts";

const Sampling = z.strictObject({ maxTokens: z.int().positive(), temperature: z.number().min(0) }).partial();
const Run = z.strictObject({
  model: z.string(),
  engine: z.enum(["cpu", "torch", "tinker"]).default("cpu"),
  groupSize: z.int().min(2).default(16),
  sampling: Sampling.prefault({}),
  env: z
    .array(
      z.strictObject({
        id: z.string(),
        groupSize: z.int().min(2).exactOptional(),
        args: z.record(z.string(), z.json()).default({}),
      }),
    )
    .default([]),
});

const lines = (...text: string[]): string => text.join("\n");
const file = (text: string, path = "run.toml"): { path: string; text: string } => ({ path, text });

async function failure(options: Omit<ReadConfigOptions<typeof Run>, "schema">): Promise<HoneError> {
  try {
    await readConfig({ schema: Run, ...options });
  } catch (error) {
    if (HoneError.is(error)) return error;
    throw error;
  }
  throw new Error("no error");
}

test("a file becomes a typed value with defaults", async () => {
  const text = lines(
    'model = "hone/tiny"',
    "[sampling]",
    "max_tokens = 5",
    "[[env]]",
    'id = "a"',
    "args = { max_tokens = 1 }",
  );
  const { value, notes } = await readConfig({ schema: Run, files: [file(text)] });
  expect(value).toEqual({
    model: "hone/tiny",
    engine: "cpu",
    groupSize: 16,
    sampling: { maxTokens: 5 },
    env: [{ id: "a", args: { max_tokens: 1 } }],
  });
  expect(notes).toEqual([]);
  expectTypeOf(value).toEqualTypeOf<z.output<typeof Run>>();
});

test("a value that is out of bounds is shown with its line and a caret", async () => {
  const text = lines('model = "m"', "", "[[env]]", 'id = "a"', "", "group_size = 1");
  const error = await failure({ files: [file(text)] });
  expect(error.message).toBe(
    lines(
      "run.toml:6:14 env.0.group_size: too small, expected at least 2",
      "  6 | group_size = 1",
      "    |              ^",
    ),
  );
  expect(error.code).toBe("config");
  expect(error.at).toEqual({ file: "run.toml", line: 6, column: 14, text: "group_size = 1" });
});

test("every problem is reported, from top to bottom", async () => {
  const text = lines(
    "group_sze = 4",
    "model = 3",
    "[sampling]",
    "maxTokens = 1",
    'engine = "cpu"',
    "[[env]]",
    "idd = 1",
  );
  expect((await failure({ files: [file(text)] })).message).toBe(
    lines(
      "run.toml:1:1 Unknown key `group_sze`. Did you mean `group_size`?",
      "  1 | group_sze = 4",
      "    | ^",
      "run.toml:2:9 model: expected a string, found the number 3",
      "  2 | model = 3",
      "    |         ^",
      "run.toml:4:1 sampling: Unknown key `maxTokens`. Did you mean `max_tokens`?",
      "  4 | maxTokens = 1",
      "    | ^",
      "run.toml:5:1 sampling: Unknown key `engine`. `engine` belongs at the top of the file, above the first table.",
      '  5 | engine = "cpu"',
      "    | ^",
      "run.toml:6:3 env.0.id: missing, expected a string",
      "  6 | [[env]]",
      "    |   ^",
      "run.toml:7:1 env.0: Unknown key `idd`. Did you mean `id`?",
      "  7 | idd = 1",
      "    | ^",
    ),
  );
});

test("syntax errors and wrong values are reported together, but not what may have stood in a broken line", async () => {
  const text = lines("model = tiny", "group_size = 1", "[[env]]", "id =");
  const { message } = await failure({ files: [file(text)] });
  expect(message.split("\n").filter((line) => line.startsWith("run.toml"))).toEqual([
    'run.toml:1:9 unexpected character. Text needs quotes: `"tiny"`.',
    "run.toml:2:14 group_size: too small, expected at least 2",
    "run.toml:4:5 a value is missing after `=`",
  ]);
});

test("a key missing from the whole file is named without a line", async () => {
  expect((await failure({ files: [file("group_size = 4")] })).message).toBe(
    "run.toml:1:1 model: missing, expected a string",
  );
  const error = await failure({ files: [] });
  expect(error.message).toBe("model: missing, expected a string");
  expect(error.at).toBeUndefined();
});

test("files compose from left to right and each value knows its file", async () => {
  const base = file('model = "a"\ngroup_size = 4\n[sampling]\nmax_tokens = 1\n[[env]]\nid = "x"\n', "base.toml");
  const mine = file('group_size = 8\n[sampling]\ntemperature = 2\n[[env]]\nid = "y"\n[[env]]\nid = "z"', "mine.toml");
  const { value, place } = await readConfig({ schema: Run, files: [base, mine], set: ["sampling.max_tokens=3"] });
  expect(value).toMatchObject({
    model: "a",
    groupSize: 8,
    sampling: { maxTokens: 3, temperature: 2 },
    env: [{ id: "y" }, { id: "z" }],
  });
  expect(place(["model"])).toMatchObject({ file: "base.toml", line: 1 });
  expect(place(["groupSize"])).toMatchObject({ file: "mine.toml", line: 1, column: 14 });
  expect(place(["group_size"], "key")).toMatchObject({ file: "mine.toml", line: 1, column: 1 });
  expect(place(["sampling", "maxTokens"])).toMatchObject({ file: "--set sampling.max_tokens" });
  expect(place(["env", 1, "id"])).toMatchObject({ file: "mine.toml", line: 7 });
  expect(place(["engine"])).toBeUndefined();
});

test("problems of several files come in the order of the files, the command line last", async () => {
  const { message } = await failure({
    files: [file("model = 1", "b.toml"), file("group_size = 1", "a.toml")],
    set: ["engine=gpu"],
  });
  expect(message.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
    "b.toml:1:9 model: expected a string, found the number 1",
    "a.toml:1:14 group_size: too small, expected at least 2",
    '--set engine: expected one of `cpu`, `torch`, `tinker`, found the string "gpu". Did you mean `cpu`?',
  ]);
});

test("asynchronous refinements are awaited", async () => {
  const schema = z.strictObject({ id: z.string().refine(async (id) => id === "known", "no such environment") });
  await expect(readConfig({ schema, files: [file('id = "x"')] })).rejects.toThrow(
    "run.toml:1:6 id: no such environment",
  );
});

describe("on disk", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hone-config-"));
    await writeFile(join(folder, "run.toml"), 'model = "m"\n');
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("paths are relative to cwd and shown as given", async () => {
    const { value, place } = await readConfig({ schema: Run, files: ["run.toml"], cwd: folder });
    expect(value.model).toBe("m");
    expect(place(["model"])?.file).toBe("run.toml");
  });

  test("a missing file is named, with where it was looked for and what lies beside it", async () => {
    const error = await failure({ files: ["rnu.toml"], cwd: folder });
    expect(error.message).toBe("There is no configuration file rnu.toml.");
    expect(error.code).toBe("config");
    expect(error.hint).toBe(`Looked for ${join(folder, "rnu.toml")}. Beside it is \`run.toml\`: did you mean that?`);
    expect((await failure({ files: ["no/such.toml"], cwd: folder })).hint).toBe(
      `Looked for ${join(folder, "no/such.toml")}.`,
    );
  });

  test("a folder is not a file", async () => {
    expect((await failure({ files: ["."], cwd: folder })).message).toBe("The configuration file . is a folder.");
  });
});
