import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Alias } from "./alias.ts";
import { type Config, readConfig } from "./read-config.ts";

const Schema = z.strictObject({
  groupSize: z.int().min(2).exactOptional(),
  batchSize: z.int().exactOptional(),
  env: z
    .array(z.strictObject({ id: z.string(), args: z.record(z.string(), z.json()).exactOptional() }))
    .exactOptional(),
  difficulty: z
    .strictObject({ filter: z.boolean().exactOptional(), easyThreshold: z.number().exactOptional() })
    .exactOptional(),
});
type Value = z.output<typeof Schema>;

const aliases: readonly Alias[] = [
  { from: "rollouts_per_example", to: "group_size" },
  { from: "data.train_batch_size", to: "batch_size", convert: (value) => Number(value) * 2 },
  { from: "env.env_args", to: "env.args" },
  { from: "orchestrator.env", to: "env" },
  { from: "buffer.online_difficulty_filtering", to: "difficulty.filter" },
  { from: "buffer.easy_threshold", to: "difficulty.easy_threshold" },
  {
    from: "level",
    to: "difficulty",
    convert: (value) => {
      if (value === "hard") throw new TypeError("only easy is known");
      return { easy_threshold: 0.5 };
    },
  },
];

const read = (texts: readonly string[], ...set: string[]): Promise<Config<Value>> => {
  const files = texts.map((text, index) => ({ path: `${index}.toml`, text }));
  return readConfig({ schema: Schema, files, set, aliases });
};

async function issuesOf(texts: readonly string[], ...set: string[]): Promise<string> {
  try {
    await read(texts, ...set);
  } catch (error) {
    if (HoneError.is(error)) return error.message;
    throw error;
  }
  return "";
}

test("an alias is moved to our name with one note", async () => {
  const { value, notes } = await read(["rollouts_per_example = 8"]);
  expect(value).toEqual({ groupSize: 8 });
  expect(notes).toEqual(["`rollouts_per_example` is understood as `group_size`"]);
});

test("our own names give no note", async () => {
  expect((await read(["group_size = 8"])).notes).toEqual([]);
});

test("both spellings in one file are an error that names both places", async () => {
  expect(await issuesOf(["group_size = 4\nrollouts_per_example = 8"])).toBe(
    [
      "0.toml:2:1 `rollouts_per_example` is another name of `group_size`, which is set at 0.toml:1:1. Keep one of them.",
      "  2 | rollouts_per_example = 8",
      "    | ^",
    ].join("\n"),
  );
});

test("a later file or an override wins in either spelling", async () => {
  expect((await read(["rollouts_per_example = 8", "group_size = 4"])).value).toEqual({ groupSize: 4 });
  expect((await read(["group_size = 4", "rollouts_per_example = 8"])).value).toEqual({ groupSize: 8 });
  expect((await read(["rollouts_per_example = 8"], "group_size=4")).value).toEqual({ groupSize: 4 });
  expect((await read(["group_size = 4"], "rollouts_per_example=8")).value).toEqual({ groupSize: 8 });
});

test("a table that only held aliases is gone, one that held more is not", async () => {
  const text = "[buffer]\nonline_difficulty_filtering = true\neasy_threshold = 0.9";
  expect((await read([text])).value).toEqual({ difficulty: { filter: true, easyThreshold: 0.9 } });
  expect(await issuesOf([`${text}\nseed = 1`])).toContain("0.toml:1:2 Unknown key `buffer`.");
});

test("a path through an array means each of its items, and an array moves whole", async () => {
  const text = '[[orchestrator.env]]\nid = "a"\n[[orchestrator.env]]\nid = "b"';
  expect((await read([text])).value).toEqual({ env: [{ id: "a" }, { id: "b" }] });
  const { value, notes } = await read(['[[env]]\nid = "a"\nenv_args = { x = 1 }\n[[env]]\nid = "b"\nenv_args.y = 2']);
  expect(value.env).toEqual([
    { id: "a", args: { x: 1 } },
    { id: "b", args: { y: 2 } },
  ]);
  expect(notes).toHaveLength(1);
});

test("overrides know aliases below array items too", async () => {
  const { value } = await read(['[[env]]\nid = "a"'], "env.0.env_args.x=1", "orchestrator.env.0.args.y=2");
  expect(value.env).toEqual([{ id: "a", args: { x: 1, y: 2 } }]);
});

test("a value is converted before it is validated, and keeps its place", async () => {
  const { value, place } = await read(["[data]\ntrain_batch_size = 64"], "level=easy");
  expect(value).toEqual({ batchSize: 128, difficulty: { easyThreshold: 0.5 } });
  expect(place(["batchSize"])).toMatchObject({ file: "0.toml", line: 2, column: 20 });
  expect((await read([""], "level.x=1")).value).toEqual({ difficulty: { easyThreshold: 0.5 } });
});

test("what a conversion refuses is an error at the value", async () => {
  expect(await issuesOf(['level = "hard"'])).toBe(
    ["0.toml:1:9 level: only easy is known", '  1 | level = "hard"', "    |         ^"].join("\n"),
  );
  expect(await issuesOf([""], "level=hard")).toBe("--set level: only easy is known");
});

test("a wrong value under an alias is shown where it was written, under our name", async () => {
  expect(await issuesOf(["rollouts_per_example = 1"])).toBe(
    [
      "0.toml:1:24 group_size: too small, expected at least 2",
      "  1 | rollouts_per_example = 1",
      "    |                        ^",
    ].join("\n"),
  );
});
