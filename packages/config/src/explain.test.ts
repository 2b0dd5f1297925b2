import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import * as z from "zod";
import { validate } from "./validate.ts";

async function issuesOf(schema: z.ZodType, value: unknown): Promise<string[]> {
  try {
    await validate({ schema, value });
  } catch (error) {
    if (HoneError.is(error)) return error.message.split("\n");
    throw error;
  }
  return [];
}

const Mode = z.enum(["fast", "exact"]);
const Loss = z.discriminatedUnion("lossType", [
  z.strictObject({ lossType: z.literal("grpo"), clipLow: z.number().exactOptional() }),
  z.strictObject({ lossType: z.literal("rloo") }),
]);
const Harness = z.union([z.string(), z.strictObject({ id: z.string(), maxDepth: z.int() })]);

test.each<[z.ZodType, unknown, string]>([
  [z.string(), 3, "x: expected a string, found the number 3"],
  [z.string(), undefined, "x: missing, expected a string"],
  [z.int(), "16", 'x: expected an integer, found the string "16"'],
  [z.int(), 1.5, "x: expected an integer, found the number 1.5"],
  [z.int(), undefined, "x: missing, expected an integer"],
  [z.number(), Number.NaN, "x: expected a number, found the number NaN"],
  [z.boolean(), "yes", 'x: expected true or false, found the string "yes"'],
  [z.array(z.int()), 1, "x: expected an array, found the number 1"],
  [z.strictObject({}), [], "x: expected a table, found an array"],
  [z.record(z.string(), z.int()), true, "x: expected a table, found true"],
  [z.string(), { a: 1 }, "x: expected a string, found a table"],
  [z.int(), "y".repeat(60), `x: expected an integer, found the string "${"y".repeat(40)}..."`],
  [z.int().min(2), 1, "x: too small, expected at least 2"],
  [z.number().positive(), 0, "x: too small, expected more than 0"],
  [z.number().max(1), 2, "x: too large, expected at most 1"],
  [z.number().lt(1), 1, "x: too large, expected less than 1"],
  [z.string().min(1), "", "x: too short, expected at least 1 character"],
  [z.string().max(2), "abc", "x: too long, expected at most 2 characters"],
  [z.array(z.int()).min(1), [], "x: too few, expected at least 1 entry"],
  [z.array(z.int()).length(2), [1, 2, 3], "x: too many, expected exactly 2 entries"],
  [z.int().multipleOf(8), 12, "x: expected a multiple of 8, found the number 12"],
  [z.string().regex(/^[a-z]+$/), "A", 'x: expected text that matches /^[a-z]+$/, found the string "A"'],
  [z.url(), "a", 'x: expected text in the form url, found the string "a"'],
  [Mode, "fats", 'x: expected one of `fast`, `exact`, found the string "fats". Did you mean `fast`?'],
  [Mode, 3, "x: expected one of `fast`, `exact`, found the number 3"],
  [Mode, undefined, "x: missing, expected one of `fast`, `exact`"],
  [z.literal("fast"), "slow", 'x: expected `fast`, found the string "slow"'],
  [
    Loss,
    { loss_type: "gpro" },
    'x.loss_type: expected one of `grpo`, `rloo`, found the string "gpro". Did you mean `grpo`?',
  ],
  [Loss, {}, "x.loss_type: missing, expected one of `grpo`, `rloo`"],
  [Loss, "grpo", 'x: expected a table, found the string "grpo"'],
  [Loss, { loss_type: "grpo", clip_lo: 1 }, "x: Unknown key `clip_lo`. Did you mean `clip_low`?"],
  [Loss, { loss_type: "rloo", clip_low: 1 }, "x: Unknown key `clip_low`. Known here: `loss_type`."],
  [Harness, 3, "x: expected a string or a table, found the number 3"],
  [Harness, undefined, "x: missing, expected a string or a table"],
  [Harness, { id: "rlm", max_depth: "2" }, 'x.max_depth: expected an integer, found the string "2"'],
  [
    z.union([Mode, z.int()]),
    "fat",
    'x: expected `fast`, `exact` or a number, found the string "fat". Did you mean `fast`?',
  ],
  [z.nullable(z.int()), "a", 'x: expected an integer, found the string "a"'],
  [z.xor([z.string(), z.literal("a")]), "a", "x: fits more than one of the forms allowed here"],
  [
    z.record(z.string().regex(/^[a-z]+$/), z.int()),
    { A: 1 },
    'x.A: the key is not allowed: expected text that matches /^[a-z]+$/, found the string "A"',
  ],
  [z.record(Mode, z.int()), { fast: 1, exact: 1, fasst: 1 }, "x: Unknown key `fasst`. Did you mean `fast`?"],
  [z.int().refine(() => false), 1, "x: not valid"],
])("%# a person reads what was expected and what was found", async (schema, value, message) => {
  const holder = z.strictObject({ x: schema });
  expect(await issuesOf(holder, value === undefined ? {} : { x: value })).toEqual([message]);
});

test("a message that the schema gives itself wins", async () => {
  const schema = z.strictObject({
    a: z.int({ error: "a whole number of steps" }),
    b: z.int().min(2, "one rollout has nothing to be compared with"),
    c: z.union([z.string(), z.strictObject({ d: z.int() })], "a name, or a table with d"),
  });
  expect(await issuesOf(schema, { a: "x", b: 1, c: { d: "x" } })).toEqual([
    "a: a whole number of steps",
    "b: one rollout has nothing to be compared with",
    "c: a name, or a table with d",
  ]);
});

test("a refinement is placed at the path it names, in the file's spelling", async () => {
  const schema = z
    .strictObject({ batchSize: z.int(), groupSize: z.int() })
    .refine(({ batchSize, groupSize }) => batchSize % groupSize === 0, {
      path: ["batchSize"],
      error: "not a multiple of group_size",
    });
  expect(await issuesOf(schema, { batch_size: 7, group_size: 2 })).toEqual([
    "batch_size: not a multiple of group_size",
  ]);
});
