import { expect, test } from "vitest";
import * as z from "zod";
import { describeArguments } from "./describe-arguments.ts";

test("arguments are told with the file's spelling, what they take, default and meaning", () => {
  const schema = z.object({
    maxGuesses: z.int().min(1).default(6).describe("tries"),
    source: z.enum(["hub", "own"]).default("hub"),
    words: z.array(z.string()).optional(),
    share: z.number().min(0).max(1),
    strict: z.boolean().default(false),
    either: z.union([z.string(), z.int()]).optional(),
    table: z.record(z.string(), z.number()).optional(),
  });
  expect(describeArguments(schema)).toEqual([
    { name: "max_guesses", type: "whole number from 1", isRequired: false, default: 6, description: "tries" },
    { name: "source", type: "one of hub, own", isRequired: false, default: "hub" },
    { name: "words", type: "list of text", isRequired: false },
    { name: "share", type: "number from 0 to 1", isRequired: true },
    { name: "strict", type: "true or false", isRequired: false, default: false },
    { name: "either", type: "text or whole number", isRequired: false },
    { name: "table", type: "table", isRequired: false },
  ]);
  expect(describeArguments(undefined)).toEqual([]);
});
