// Where a new run is kept: runs/<name>. A name that was asked for must be free; one that is made up takes the next free number.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { HoneError } from "@hone/core";
import { runDirectory } from "@hone/store";
import type { ResolvedRun } from "@hone/train";
import { shown } from "../screen/shown-path.ts";

export interface RunNameOptions {
  readonly cwd: string;
  /** `--run`; the configuration's `name` unless given. */
  readonly name?: string | undefined;
}

export function newRunDirectory(config: ResolvedRun, { cwd, name }: RunNameOptions): string {
  const root = join(cwd, "runs");
  const asked = name ?? config.name;
  if (asked !== undefined) {
    const directory = runDirectory(root, asked);
    if (!existsSync(directory)) return directory;
    throw new HoneError(`There is a run \`${asked}\` already, in ${shown(directory, cwd)}.`, {
      code: "run-exists",
      hint: `Go on with it (hone train --resume ${asked}), or choose another name (--run NAME).`,
    });
  }
  const stem = `${plain(config.env.map((env) => env.name).join("+"))}-${plain(basename(config.model))}`;
  for (let number = 1; ; number++) {
    const directory = runDirectory(root, `${stem}-${number}`);
    if (!existsSync(directory)) return directory;
  }
}

function plain(text: string): string {
  return text
    .replaceAll(/[^\w.+-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, 60);
}
