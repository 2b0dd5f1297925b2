// A run by its name or folder, for every command that takes one. What cannot be found is told with the nearest name.
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { nearest } from "@hone/config";
import { HoneError } from "@hone/core";
import { isRun, listRuns } from "@hone/store";

/** `NAME`, `runs/NAME` or any folder with a run.toml. */
export async function findRun(name: string, cwd: string): Promise<string> {
  for (const candidate of [resolve(cwd, name), join(cwd, "runs", name)]) {
    if (await isRun(candidate)) return candidate;
  }
  const known = (await listRuns(join(cwd, "runs"))).map((run) => run.name);
  const meant = nearest(basename(name), known);
  const isThere = existsSync(resolve(cwd, name)) || existsSync(join(cwd, "runs", name));
  const said = isThere ? `\`${name}\` is not a run: it has no run.toml.` : `There is no run \`${name}\`.`;
  throw new HoneError(`${said}${meant === undefined ? "" : ` Did you mean \`${meant}\`?`}`, {
    code: "not-a-run",
    hint:
      known.length === 0
        ? "There are no runs in runs/ yet: `hone train <env> --model hone/tiny` makes one."
        : `\`hone runs list\` shows the runs there are; the newest is ${known[0]}.`,
  });
}
