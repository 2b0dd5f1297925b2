// A schema as JSON Schema for editors: property names and defaults in the file's spelling, what may be written (the schema's input).
import type { JsonObject } from "@hone/core";
import * as z from "zod";
import { fileNames, toFile } from "./keys.ts";

/** Converting takes a tenth of a millisecond: call it once per schema. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema.default !== undefined) jsonSchema.default = toFile(zodSchema, jsonSchema.default) as never;
      // `z.int()` says that much of every integer; in an editor it is noise.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      const { def } = zodSchema._zod;
      if (def.type !== "object" || jsonSchema.properties === undefined) return;
      const names = fileNames(Object.keys(def.shape));
      const rename = (field: string): string => names.get(field) ?? field;
      const { properties, required } = jsonSchema;
      jsonSchema.properties = Object.fromEntries(Object.entries(properties).map(([key, item]) => [rename(key), item]));
      if (required !== undefined) jsonSchema.required = required.map(rename);
    },
  }) as JsonObject;
}
