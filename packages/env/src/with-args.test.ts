import { expect, test } from "vitest";
import * as z from "zod";
import { defineEnvironment, withArgs } from "./index.ts";

const counting = withArgs(z.object({ upTo: z.int().min(1).default(3) }), ({ upTo }) =>
  defineEnvironment({ name: `count-${upTo}`, tasks: [{ upTo }], prompt: () => "", rewards: {} }),
);

test("defaults are applied", () => {
  expect(counting.create({}).info.name).toBe("count-3");
});
test("a wrong argument says which and what was expected", () => {
  expect(() => counting.create({ upTo: 0 })).toThrow(/Wrong arguments[\s\S]*upTo/);
});
test("an argument that is not in the schema is a mistake, never ignored", () => {
  expect(() => counting.create({ upto: 2 } as never)).toThrow(/upto/);
});
