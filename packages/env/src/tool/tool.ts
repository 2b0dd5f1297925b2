// Tools: a description, zod parameters and a function. The name is the key in `tools`; the schema goes to the model, converted once per environment.
import type { Awaitable, ContentPart, JsonObject, ToolSpec } from "@hone/core";
import * as z from "zod";

/** `Needs` is what `execute` takes from the scope; an environment that cannot give it does not compile. */
export interface Tool<Parameters extends z.ZodObject, Needs = unknown> {
  readonly description: string;
  readonly parameters: Parameters;
  /** Text, content parts, or data that is shown as JSON. What it throws is shown to the model as an error. */
  readonly execute: (input: z.output<Parameters>, scope: Needs) => Awaitable<string | readonly ContentPart[] | object>;
}
export type ToolShapes = Record<string, z.ZodObject>;
export type AnyTool = Tool<z.ZodObject, never>;

/** For a tool kept outside an environment. Inside one, write the object in place: only then does `scope` get its types. */
export function tool<Parameters extends z.ZodObject, Needs = unknown>(
  definition: Tool<Parameters, Needs>,
): Tool<Parameters, Needs> {
  return definition;
}

/** `io: "input"`, because otherwise parameters with a default are marked as required to the model. */
export function toolSpecs(tools: Readonly<Record<string, AnyTool>>): ToolSpec[] {
  return Object.entries(tools).map(([name, { description, parameters }]) => {
    const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, { io: "input" });
    return { name, description, parameters: schema as JsonObject };
  });
}
