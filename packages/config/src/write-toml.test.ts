import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { parseToml } from "./read-toml.ts";
import { writeToml } from "./write-toml.ts";

test("a value is written in the file's spelling", () => {
  const schema = z.strictObject({
    groupSize: z.int(),
    sampling: z.strictObject({ maxTokens: z.int() }),
    env: z.array(z.strictObject({ id: z.string(), envArgs: z.record(z.string(), z.json()) })),
  });
  const value = { groupSize: 4, sampling: { maxTokens: 5 }, env: [{ id: "a", envArgs: { keepMe: [1, "b"] } }] };
  expect(writeToml(value, schema)).toBe(
    'group_size = 4\n\n[sampling]\nmax_tokens = 5\n\n[[env]]\nid = "a"\n\n[env.env_args]\nkeepMe = [ 1, "b" ]\n',
  );
});

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const key = fc.oneof(text, fc.constantFrom("a", "b_c", "d.e", "", "__proto__", "ü"));
const scalar = fc.oneof(
  text,
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.boolean(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double().map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.constantFrom("1979-05-27", "true", "#", '"""', "line\nline", "\u007f"),
);
const table = fc.letrec<{ value: unknown; table: object }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("table")),
  table: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
})).table;

test("what is written is read back as it was", () => {
  fc.assert(
    fc.property(table, (value) => {
      expect(parseToml(writeToml(value), "run.toml").value).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

test("an empty table is an empty file", () => {
  expect(writeToml({})).toBe("");
});

test("undefined members are left out, also inside arrays", () => {
  expect(parseToml(writeToml({ a: undefined, b: [{ c: undefined, d: 1 }, [{ e: undefined }]] }), "f").value).toEqual({
    b: [{ d: 1 }, [{}]],
  });
});

test.each([
  [{ a: { b: null } }, "a.b cannot be written as TOML: it is null."],
  [{ a: [1, undefined] }, "a.1 cannot be written as TOML: it is undefined."],
  [{ a: new Date(0) }, "a cannot be written as TOML: it is Date."],
  [{ a: 10n }, "a cannot be written as TOML: it is bigint."],
  [[], "The value cannot be written as TOML: it is Array."],
])("what TOML cannot say is refused (%#)", (value, message) => {
  expect(() => writeToml(value)).toThrow(message);
});
