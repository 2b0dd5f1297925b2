// A name to a loaded environment with its arguments, for every command. What cannot be found is told with the nearest name and what to type
// next; an argument that is wrong is named with its place.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type FindPlace, nearest, toCode, validate } from "@hone/config";
import { type Environment, HoneError, type JsonObject, type Task } from "@hone/core";
import { type EnvironmentLocation, listEnvironments, loadEnvironment } from "@hone/env/load";
import type * as z from "zod";
import { flagPlace, inFileSpelling } from "./arguments.ts";
import { notLoaded } from "./not-loaded.ts";

/** Replies that must score 1, turn by turn, where the environment gives them. */
export interface Golden {
  gold?(task: Task): readonly string[] | undefined;
}

export interface FoundEnvironment {
  readonly environment: Environment & Golden;
  readonly location: EnvironmentLocation;
  readonly schema: z.ZodObject | undefined;
  /** In the schema's spelling: what a worker creates it with. */
  readonly args: JsonObject;
}

export interface FindOptions {
  readonly cwd: string;
  /** In the spelling of files or of the schema. */
  readonly args?: JsonObject;
  /** Where the arguments were written, by a path that starts with `path`. */
  readonly place?: FindPlace;
  readonly path?: readonly (string | number)[];
  /** The command with another name in place of the one that was not found. */
  readonly tryInstead?: (name: string) => string;
}

export async function findEnvironment(id: string, options: FindOptions): Promise<FoundEnvironment> {
  const { cwd, args = {} } = options;
  let schema: z.ZodObject | undefined;
  let inCode: JsonObject = {};
  const readArgs = (found: z.ZodObject, given: JsonObject): JsonObject => {
    schema = found;
    inCode = toCode(found, inFileSpelling(found, given)) as JsonObject;
    return inCode;
  };
  try {
    const loaded = await loadEnvironment(pathOf(id, cwd), { cwd, searchFrom, args, readArgs });
    return { environment: loaded.environment, location: { ...loaded.location, id }, schema, args: inCode };
  } catch (error) {
    if (!HoneError.is(error)) throw error;
    if (error.code === "unknown-environment") throw unknownEnvironment(id, options);
    if (error.code === "arguments" && schema !== undefined) await explainArguments(schema, options);
    if (error.code === "load") throw notLoaded(error);
    throw error;
  }
}

/** Environments that came with this program are found from anywhere. */
const searchFrom = [fileURLToPath(new URL("..", import.meta.url))];

export function knownEnvironments(cwd: string): EnvironmentLocation[] {
  return listEnvironments({ cwd, searchFrom });
}

/** `.`, and `environments/word-guess` as a shell completes it, are folders. */
function pathOf(id: string, cwd: string): string {
  const isFolder = id === "." || id === ".." || (/^[^@./][^/\\]*[/\\]/.test(id) && existsSync(resolve(cwd, id)));
  return isFolder ? resolve(cwd, id) : id;
}

function unknownEnvironment(id: string, { cwd, tryInstead }: FindOptions): HoneError {
  const isHere = existsSync(resolve(cwd, id)) && !id.startsWith(".");
  const known = knownEnvironments(cwd).map((location) => location.id);
  const meant = isHere ? `./${id}` : nearest(id, known);
  const said = `There is no environment \`${id}\`.`;
  if (meant === undefined) {
    const hint = "`hone env list` shows what there is, `hone env init my-env` makes one.";
    return new HoneError(said, { code: "unknown-environment", hint });
  }
  return new HoneError(`${said} Did you mean \`${meant}\`?`, {
    code: "unknown-environment",
    hint: `Try: ${tryInstead?.(meant) ?? `hone env info ${meant}`}`,
  });
}

/** Throws what is wrong with the arguments, each at its place. */
async function explainArguments(
  schema: z.ZodObject,
  { args = {}, place = flagPlace, path = [] }: FindOptions,
): Promise<void> {
  await validate({ schema: schema.strict(), value: inFileSpelling(schema, args), place, path });
}
