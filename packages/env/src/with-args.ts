// Environments with arguments. A function of its own, not an overload of defineEnvironment: overloads turn every slip into "No overload matches this call".
import { type Environment, HoneError } from "@hone/core";
import * as z from "zod";

export interface EnvironmentDefinition<Args extends z.ZodObject = z.ZodObject, Made extends Environment = Environment> {
  readonly kind: "hone/environment-definition";
  /** What TOML, the command line and the hub validate against. */
  readonly args: Args;
  create(input: z.input<Args>): Made;
}

export function withArgs<Args extends z.ZodObject, Made extends Environment>(
  args: Args,
  create: (args: z.output<Args>) => Made,
): EnvironmentDefinition<Args, Made> {
  const strict = args.strict(); // an argument that is not in the schema is a mistake, never ignored
  return {
    kind: "hone/environment-definition",
    args,
    create(input) {
      const parsed = strict.safeParse(input);
      if (parsed.success) return create(parsed.data as z.output<Args>);
      throw new HoneError(`Wrong arguments for this environment:\n${z.prettifyError(parsed.error)}`, {
        code: "arguments",
        hint: `It takes: ${Object.keys(args.shape).join(", ") || "none"}.`,
      });
    },
  };
}
