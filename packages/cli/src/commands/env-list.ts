// `hone env list`.
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Work } from "../command.ts";
import { knownEnvironments } from "../environment/find-environment.ts";
import { exitCodes } from "../io.ts";
import { columns } from "../screen/columns.ts";
import { styleFor } from "../screen/style.ts";

export interface ListFlags {
  readonly json: boolean;
}

export const list: Work<ListFlags, []> = async ({ io }, { json }) => {
  const environments = await Promise.all(
    knownEnvironments(io.cwd).map(async ({ id, version, folder = "" }) => ({
      id,
      version,
      description: await descriptionOf(folder),
      folder,
    })),
  );
  const style = styleFor(io.stdout, io.env);
  if (json) io.stdout.write(`${JSON.stringify(environments)}\n`);
  else if (environments.length === 0)
    io.stdout.write("There are no environments here. `hone env init my-env` makes one.\n");
  else {
    const rows = environments.map((one) => [
      style.paint("bold", one.id),
      one.version,
      one.description,
      style.paint("dim", placeOf(one, io.cwd)),
    ]);
    io.stdout.write(columns(rows));
  }
  return exitCodes.ok;
};

/** A folder of one's own by its path, an installed package by its name. */
function placeOf({ id, folder }: { readonly id: string; readonly folder: string }, cwd: string): string {
  return relative(cwd, folder).startsWith("environments") ? relative(cwd, folder) : `@hone/${id}`;
}

/** "" where the package does not describe itself. */
export async function descriptionOf(folder: string): Promise<string> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  const { description } = JSON.parse(text) as { readonly description?: unknown };
  return typeof description === "string" ? description : "";
}
