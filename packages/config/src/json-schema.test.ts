import { expect, test } from "vitest";
import * as z from "zod";
import { jsonSchemaOf } from "./json-schema.ts";

const Sampling = z.strictObject({
  maxTokens: z.int().positive().describe("tokens per reply"),
  topP: z.number().default(1),
});

test("an editor sees the file's spelling, what may be left out, and the descriptions", () => {
  const schema = z.strictObject({
    groupSize: z.int().min(2).default(16).describe("rollouts per task"),
    envArgs: z.record(z.string(), z.json()).exactOptional(),
    sampling: Sampling.default({ maxTokens: 8, topP: 1 }),
    baseModel: z.enum(["a", "b"]),
  });
  expect(jsonSchemaOf(schema)).toMatchObject({
    type: "object",
    additionalProperties: false,
    required: ["base_model"],
    properties: {
      group_size: { type: "integer", minimum: 2, default: 16, description: "rollouts per task" },
      env_args: { type: "object" },
      sampling: {
        default: { max_tokens: 8, top_p: 1 },
        required: ["max_tokens"],
        properties: { max_tokens: { type: "integer", description: "tokens per reply" }, top_p: { type: "number" } },
      },
      base_model: { enum: ["a", "b"] },
    },
  });
  expect(JSON.stringify(jsonSchemaOf(schema))).not.toMatch(/groupSize|maxTokens|9007199254740991/);
});

test("a schema used twice is renamed once, and recursion keeps its names", () => {
  interface Node {
    readonly nodeName: string;
    readonly childNodes?: readonly Node[] | undefined;
  }
  const Node: z.ZodType<Node> = z.lazy(() =>
    z.strictObject({ nodeName: z.string(), childNodes: z.array(Node).exactOptional() }),
  );
  const text = JSON.stringify(
    jsonSchemaOf(z.strictObject({ first: Sampling, second: Sampling, treeRoot: Node, otherRoot: Node })),
  );
  expect(text.match(/"max_tokens":/g)?.length).toBeGreaterThan(0);
  expect(text).toContain('"child_nodes":');
  expect(text).not.toMatch(/maxTokens|nodeName|childNodes|treeRoot/);
});

test("what JSON Schema cannot say does not throw", () => {
  const schema = z.strictObject({ made: z.string().transform(Number), own: z.custom<Date>() });
  expect(jsonSchemaOf(schema)).toMatchObject({ properties: { made: { type: "string" }, own: {} } });
});
