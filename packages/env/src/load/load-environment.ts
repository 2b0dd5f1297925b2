// From an id to a running environment: resolve, import, create with arguments. Recognised by `kind`, never by instanceof.
import { type Environment, type Harness, HoneError, type JsonObject } from "@hone/core";
import { isAbsolute, resolve } from "node:path";
import type * as z from "zod";
import { findHarness } from "../rollout/harness.ts";
import type { EnvironmentDefinition } from "../with-args.ts";
import { importModule } from "./import-module.ts";
import { type EnvironmentLocation, resolveEnvironment, type ResolveOptions } from "./resolve.ts";

export interface LoadedEnvironment {
  readonly environment: Environment;
  readonly location: EnvironmentLocation;
  /** The schema of its arguments, where it takes some. */
  readonly args: z.ZodObject | undefined;
}

export interface LoadOptions extends ResolveOptions {
  readonly args?: JsonObject;
  /** Renames the keys of a file (max_guesses) to those of the schema (maxGuesses). */
  readonly readArgs?: (schema: z.ZodObject, args: JsonObject) => JsonObject;
}

export async function loadEnvironment(id: string, options: LoadOptions): Promise<LoadedEnvironment> {
  const location = resolveEnvironment(id, options);
  const { default: exported } = await importModule(location.file);
  const { args = {}, readArgs = (_schema, input) => input } = options;
  if (hasKind(exported, "hone/environment-definition")) {
    const definition = exported as EnvironmentDefinition;
    return { environment: definition.create(readArgs(definition.args, args)), location, args: definition.args };
  }
  if (!hasKind(exported, "hone/environment")) {
    throw new HoneError(`The default export of ${location.file} is not an environment.`, {
      code: "bad-package",
      hint: "Write `export default defineEnvironment({ … })`, or `withArgs(schema, (args) => …)` when it takes arguments.",
    });
  }
  const [unknown] = Object.keys(args);
  if (unknown === undefined) return { environment: exported as Environment, location, args: undefined };
  throw new HoneError(`${id} takes no arguments, but was given ${unknown}.`, { code: "arguments" });
}

/** A built-in harness by id, or the default export of a file: a Harness, or a function from options to one. */
export async function loadHarness(
  settings: { readonly id: string } & JsonObject,
  { cwd }: { readonly cwd: string },
): Promise<Harness> {
  const { id, ...options } = settings;
  if (!id.startsWith(".") && !isAbsolute(id)) return findHarness(settings);
  const { default: exported } = await importModule(resolve(cwd, id));
  const harness: unknown =
    typeof exported === "function" ? (exported as (options: JsonObject) => unknown)(options) : exported;
  if (typeof harness === "object" && harness !== null && "run" in harness && "id" in harness) return harness as Harness;
  throw new HoneError(`The default export of ${id} is not a harness.`, {
    code: "bad-package",
    hint: "Export `{ id, run(session, { signal }) }`, or a function that takes the options and returns one.",
  });
}

function hasKind(value: unknown, kind: string): boolean {
  return typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === kind;
}
