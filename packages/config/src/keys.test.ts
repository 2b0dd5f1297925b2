import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { positionAt, snakeCase, toCode, toFile } from "./keys.ts";

const Sampling = z.strictObject({ maxTokens: z.int(), topP: z.number().exactOptional() });
interface Node {
  readonly nodeName: string;
  readonly childNodes?: readonly Node[] | undefined;
}
const Node: z.ZodType<Node> = z.lazy(() =>
  z.strictObject({ nodeName: z.string(), childNodes: z.array(Node).exactOptional() }),
);
const Run = z.strictObject({
  groupSize: z.int().default(4),
  sampling: Sampling.prefault({ maxTokens: 1 }).readonly(),
  evalSampling: z.nullable(z.array(Sampling)).exactOptional(),
  envArgs: z.record(z.string(), z.json()).exactOptional(),
  perEnv: z.record(z.string(), Sampling).exactOptional(),
  tree: Node.exactOptional(),
  lossType: z
    .discriminatedUnion("lossKind", [
      z.strictObject({ lossKind: z.literal("clip"), clipLow: z.number(), extraArgs: z.record(z.string(), z.int()) }),
      z.strictObject({ lossKind: z.literal("plain"), extraArgs: z.strictObject({ byToken: z.boolean() }) }),
    ])
    .exactOptional(),
  harness: z.union([z.string(), z.looseObject({ harnessId: z.string() })]).exactOptional(),
  both: z.intersection(z.object({ leftSide: z.int() }), z.object({ rightSide: z.int() })).exactOptional(),
  piped: z
    .strictObject({ inSide: z.string() })
    .transform((value) => value.inSide)
    .exactOptional(),
  made: z.preprocess((value) => value, z.strictObject({ outSide: z.string() })).exactOptional(),
  pair: z.tuple([Sampling, z.string()]).exactOptional(),
});

test.each([
  ["maxTokens", "max_tokens"],
  ["topP", "top_p"],
  ["baseURL", "base_url"],
  ["HTTPServer", "http_server"],
  ["ci95Low", "ci95_low"],
  ["id", "id"],
])("%s is %s in a file", (name, file) => {
  expect(snakeCase(name)).toBe(file);
});

test("keys are mapped through every wrapper, and never inside records", () => {
  const file = {
    group_size: 8,
    sampling: { max_tokens: 1, top_p: 0.5 },
    eval_sampling: [{ max_tokens: 2 }],
    env_args: { max_tokens: 1, maxTokens: { deep_key: 2 } },
    per_env: { my_env: { max_tokens: 3 } },
    tree: { node_name: "a", child_nodes: [{ node_name: "b" }] },
    loss_type: { loss_kind: "clip", clip_low: 0.2, extra_args: { by_token: 1 } },
    harness: { harness_id: "x", other_key: 1 },
    both: { left_side: 1, right_side: 2 },
    piped: { in_side: "x" },
    made: { out_side: "x" },
    pair: [{ max_tokens: 4 }, "x"],
  };
  const code = {
    groupSize: 8,
    sampling: { maxTokens: 1, topP: 0.5 },
    evalSampling: [{ maxTokens: 2 }],
    envArgs: { max_tokens: 1, maxTokens: { deep_key: 2 } },
    perEnv: { my_env: { maxTokens: 3 } },
    tree: { nodeName: "a", childNodes: [{ nodeName: "b" }] },
    lossType: { lossKind: "clip", clipLow: 0.2, extraArgs: { by_token: 1 } },
    harness: { harnessId: "x", other_key: 1 },
    both: { leftSide: 1, rightSide: 2 },
    piped: { inSide: "x" },
    made: { outSide: "x" },
    pair: [{ maxTokens: 4 }, "x"],
  };
  expect(toCode(Run, file)).toEqual(code);
  expect(toFile(Run, code)).toEqual(file);
});

test("the discriminator chooses whose fields are mapped", () => {
  const file = { loss_type: { loss_kind: "plain", extra_args: { by_token: true } } };
  expect(toCode(Run, file)).toEqual({ lossType: { lossKind: "plain", extraArgs: { byToken: true } } });
});

test("a camelCase key in a file does not become a field", () => {
  expect(Run.safeParse(toCode(Run, { groupSize: 3 })).success).toBe(false);
  expect(toCode(Run, { groupSize: 3, group_size: 4 })).toEqual({ groupSize: 4, group_size: 3 });
});

test("fields that share a file name keep their own", () => {
  const Odd = z.strictObject({ aB: z.int(), a_b: z.int() });
  expect(toFile(Odd, { aB: 1, a_b: 2 })).toEqual({ aB: 1, a_b: 2 });
});

test("dates and typed arrays pass through", () => {
  const value = { maxTokens: new Float32Array(2), topP: new Date(0) };
  expect(toFile(Sampling, value)).toEqual({ max_tokens: value.maxTokens, top_p: value.topP });
});

const names = "groupSize sampling maxTokens lossType lossKind extraArgs byToken perEnv tree childNodes x".split(" ");
const anyKey = fc.constantFrom(...names, ...names.map(snakeCase));
const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>("clip", "plain", 1, null, true),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(anyKey, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test("a value to the file's spelling and back is the same, whether it is valid or not", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(toCode(Run, toFile(Run, value))).toEqual(value);
      expect(toFile(Run, toCode(Run, value))).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

test("a position knows its path in the file and the keys of its table", () => {
  const value = { lossType: { lossKind: "clip" }, envArgs: { maxTokens: 1 } };
  const at = (...path: (string | number)[]): ReturnType<typeof positionAt> =>
    positionAt({ schema: Run, value, path, side: "code" });
  expect(at("lossType")).toEqual({
    path: ["loss_type"],
    knownKeys: ["loss_kind", "clip_low", "extra_args"],
    isList: false,
  });
  expect(at("envArgs", "maxTokens").path).toEqual(["env_args", "maxTokens"]);
  expect(at("evalSampling", 0, "maxTokens").path).toEqual(["eval_sampling", 0, "max_tokens"]);
  expect(at("evalSampling").isList).toBe(true);
  expect(positionAt({ schema: z.record(z.enum(["aB", "c"]), z.int()), value: {}, path: [], side: "code" })).toEqual({
    path: [],
    knownKeys: ["aB", "c"],
    isList: false,
  });
});
