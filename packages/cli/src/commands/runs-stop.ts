// `hone runs stop RUN`: leaves the wish to stop in the run's folder. The run looks between its steps, saves and exports, and ends.
import { HoneError } from "@hone/core";
import { requestStop } from "@hone/store";
import type { Work } from "../command.ts";
import { exitCodes } from "../io.ts";
import { findRun } from "../run/find-run.ts";
import { readStanding } from "../run/run-state.ts";

export interface RunsStopFlags {
  readonly json: boolean;
}

export const runsStop: Work<RunsStopFlags, [run: string]> = async ({ io }, { json }, asked) => {
  const directory = await findRun(asked, io.cwd);
  const { name, kind, state, step } = await readStanding(directory);
  if (state !== "running" && state !== "stopping" && state !== "elsewhere") {
    throw new HoneError(`\`${name}\` is not running: it is ${state}, after step ${step}.`, {
      code: "not-running",
      hint: "`hone runs list` shows which runs are.",
    });
  }
  await requestStop(directory);
  if (json) io.stdout.write(`${JSON.stringify({ name, directory, step })}\n`);
  else io.stdout.write(`\`${name}\` stops when its step is done. Go on with: hone ${kind} --resume ${name}\n`);
  return exitCodes.ok;
};
