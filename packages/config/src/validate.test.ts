import { expect, test } from "vitest";
import * as z from "zod";
import { readConfig } from "./read-config.ts";
import { validate } from "./validate.ts";

const Args = z.strictObject({ maxGuesses: z.int().positive().default(6), words: z.array(z.string()).default([]) });
const Run = z.strictObject({ env: z.array(z.strictObject({ id: z.string(), args: z.record(z.string(), z.json()) })) });

const read = (args: string): ReturnType<typeof readConfig<typeof Run>> =>
  readConfig({ schema: Run, files: [{ path: "run.toml", text: `[[env]]\nid = "a"\nargs = ${args}` }] });

test("arguments of an environment are checked by its own schema, in the file's spelling", async () => {
  const { value } = await read("{ max_guesses = 4 }");
  expect(await validate({ schema: Args, value: value.env[0]?.args })).toEqual({ maxGuesses: 4, words: [] });
});

test("their errors point into the file", async () => {
  const { value, place } = await read('{ max_guesses = "4", word = [] }');
  await expect(
    validate({ schema: Args, value: value.env[0]?.args, path: ["env", 0, "args"], place }),
  ).rejects.toMatchObject({
    code: "config",
    at: { file: "run.toml", line: 3, column: 24 },
    message: [
      'run.toml:3:24 env.0.args.max_guesses: expected an integer, found the string "4"',
      '  3 | args = { max_guesses = "4", word = [] }',
      "    |                        ^",
      "run.toml:3:29 env.0.args: Unknown key `word`. Did you mean `words`?",
      '  3 | args = { max_guesses = "4", word = [] }',
      "    |                             ^",
    ].join("\n"),
  });
});

test("a missing argument points at the table that lacks it", async () => {
  const { value, place } = await read("{}");
  const schema = z.strictObject({ dataPath: z.string() });
  await expect(validate({ schema, value: value.env[0]?.args, path: ["env", 0, "args"], place })).rejects.toThrow(
    "run.toml:3:8 env.0.args.data_path: missing, expected a string",
  );
});
