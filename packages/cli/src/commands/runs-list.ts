// `hone runs list`: the runs under runs/, the newest first.
import { join } from "node:path";
import { listRuns } from "@hone/store";
import type { Work } from "../command.ts";
import { exitCodes } from "../io.ts";
import { readStanding, type RunState } from "../run/run-state.ts";
import { columns } from "../screen/columns.ts";
import { type Style, styleFor } from "../screen/style.ts";
import { age, decimal } from "../screen/words.ts";

export interface RunsListFlags {
  readonly json: boolean;
}

export const runsList: Work<RunsListFlags, []> = async ({ io }, { json }) => {
  const runs = [];
  for (const { directory, createdAtMs } of await listRuns(join(io.cwd, "runs"))) {
    const { name, state, step, environments, lastUpdate } = await readStanding(directory);
    runs.push({ name, state, step, reward: lastUpdate?.["reward/mean"] ?? null, environments, createdAtMs, directory });
  }
  const style = styleFor(io.stdout, io.env);
  if (json) io.stdout.write(`${JSON.stringify(runs)}\n`);
  else if (runs.length === 0)
    io.stdout.write("There are no runs in runs/ yet. `hone train <env> --model hone/tiny` makes one.\n");
  else {
    const head = ["run", "state", "step", "reward", "environments", "age"].map((text) => style.paint("dim", text));
    const now = Date.now();
    const rows = runs.map((run) => [
      style.paint("bold", run.name),
      stateWord(run.state, style),
      String(run.step),
      decimal(run.reward),
      run.environments.join(", "),
      age(now - run.createdAtMs),
    ]);
    io.stdout.write(columns([head, ...rows], { right: [2, 3] }));
  }
  return exitCodes.ok;
};

export function stateWord(state: RunState, style: Style): string {
  const color = { running: "green", stopping: "yellow", interrupted: "yellow", failed: "red" } as const;
  return state in color ? style.paint(color[state as keyof typeof color], state) : state;
}
