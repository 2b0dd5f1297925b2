import { HoneError, type Json } from "@hone/core";
import { expect, test } from "vitest";
import * as z from "zod";
import { readConfig } from "./read-config.ts";

const Schema = z.strictObject({
  model: z.json().exactOptional(),
  sampling: z
    .strictObject({ temperature: z.number().exactOptional(), maxTokens: z.int().exactOptional() })
    .exactOptional(),
  env: z
    .array(z.strictObject({ id: z.string(), args: z.record(z.string(), z.json()).exactOptional() }))
    .exactOptional(),
  stops: z.array(z.string()).exactOptional(),
  ratios: z.record(z.string(), z.number()).exactOptional(),
});

const read = async (text: string, ...set: string[]): Promise<z.output<typeof Schema>> =>
  (await readConfig({ schema: Schema, files: [{ path: "run.toml", text }], set })).value;

async function issuesOf(text: string, ...set: string[]): Promise<string> {
  try {
    await read(text, ...set);
  } catch (error) {
    if (HoneError.is(error)) return error.message;
    throw error;
  }
  return "";
}

test.each<[string, Json]>([
  ["model=hone/tiny", "hone/tiny"],
  ["model=4", 4],
  ["model = 0.5 ", 0.5],
  ["model=true", true],
  ["model='4'", "4"],
  ['model="a b"', "a b"],
  ["model=[1, 'b']", [1, "b"]],
  ["model={ a = 1 }", { a: 1 }],
  ["model=2024-01-01", "2024-01-01"],
  ["model=", ""],
  ["model=a=b", "a=b"],
  ["model=a # b", "a # b"],
  ["model=one\ntwo = 2", "one\ntwo = 2"],
  ["model=1\ntwo = 2", "1\ntwo = 2"],
  ["model=1_", "1_"],
])("--set %j is the value %j", async (set, value) => {
  expect((await read("", set)).model).toEqual(value);
});

test("an override wins over the file, and a later one over an earlier one", async () => {
  const text = "[sampling]\ntemperature = 1\nmax_tokens = 5";
  expect(await read(text, "sampling.temperature=0.8", "sampling.temperature=0.9")).toEqual({
    sampling: { temperature: 0.9, maxTokens: 5 },
  });
});

test("tables merge and arrays are replaced", async () => {
  const text = '[ratios]\na = 1\n[[env]]\nid = "x"\n[[env]]\nid = "y"';
  expect(await read(text, "ratios={ b = 2 }", 'env=[{ id = "z" }]')).toEqual({
    ratios: { a: 1, b: 2 },
    env: [{ id: "z" }],
  });
});

test("items of an array go by number; the next number adds one, also where there is no array yet", async () => {
  expect(await read('[[env]]\nid = "a"', "env.0.args.n=3", "env.1.id=b")).toEqual({
    env: [{ id: "a", args: { n: 3 } }, { id: "b" }],
  });
  expect(await read("", "env.0.id=reverse-text", "stops.0=x", "ratios.0=1")).toEqual({
    env: [{ id: "reverse-text" }],
    stops: ["x"],
    ratios: { 0: 1 },
  });
});

test("quoted keys may hold dots and equals signs", async () => {
  expect((await read("", 'ratios."a.b=c"=1')).ratios).toEqual({ "a.b=c": 1 });
});

test.each([
  ["sampling.temperature=hot", '--set sampling.temperature: expected a number, found the string "hot"'],
  ["sampling.temperatur=1", "--set sampling.temperatur: Unknown key `temperatur`. Did you mean `temperature`?"],
  ["sampling.maxTokens=1", "--set sampling.maxTokens: Unknown key `maxTokens`. Did you mean `max_tokens`?"],
  [
    "env=[{ idd = 1 }]",
    "--set env: env.0.id: missing, expected a string\n--set env: env.0: Unknown key `idd`. Did you mean `id`?",
  ],
  ["env.0.args.x=1", "--set env.0.args.x: env.0.id: missing, expected a string"],
  [
    "env.2.id=x",
    "--set env.2.id: `env` is an array of 0: name an item by its number, env.0 to env.0 (which adds one).",
  ],
  ["env.id=x", "--set env.id: `env` is an array of 0: name an item by its number, env.0 to env.0 (which adds one)."],
  ["model", "--set model: expected key=value, for example sampling.temperature=0.8"],
  ["=1", "--set =1: expected key=value, for example sampling.temperature=0.8"],
  ["a b=1", "--set a b: expected key=value, for example sampling.temperature=0.8"],
  ["stops=[1", "--set stops: the array is not closed with `]`"],
  [
    "model=99999999999999999999",
    "--set model: 99999999999999999999 is too large to be kept exactly. Quote it to keep it as text.",
  ],
])("--set %s is placed at the flag", async (set, message) => {
  expect(await issuesOf("", set)).toBe(message);
});

test("an override under a scalar of the file is a wrong type at the flag", async () => {
  expect(await issuesOf('[[env]]\nid = "a"', "env.0.id.x=1")).toBe(
    "--set env.0.id.x: expected a string, found a table",
  );
});

test("a table that an override reaches into keeps the place of its own key", async () => {
  const text = "[sampling]\nmax_tokens = 5";
  const config = await readConfig({
    schema: Schema,
    files: [{ path: "run.toml", text }],
    set: ["sampling.temperature=1"],
  });
  expect(config.place(["sampling"], "key")).toMatchObject({ file: "run.toml", line: 1 });
  expect(config.place(["sampling", "temperature"], "key")).toMatchObject({ file: "--set sampling.temperature" });
});
