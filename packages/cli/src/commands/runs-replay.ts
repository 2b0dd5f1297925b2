// `hone runs replay RUN --step N`: whether weights and samples of a run give the weights that it says they gave.
import type { Work } from "../command.ts";
import { exitCodes } from "../io.ts";
import { findRun } from "../run/find-run.ts";
import { replay } from "../run/replay.ts";
import { plural } from "../screen/words.ts";

export interface RunsReplayFlags {
  readonly step: number;
  readonly json: boolean;
}

export const runsReplay: Work<RunsReplayFlags, [run: string]> = async ({ io }, { step, json }, name) => {
  const directory = await findRun(name, io.cwd);
  const onNotice = (notice: string): void => {
    if (!json) io.stderr.write(`note: ${notice}\n`);
  };
  const replayed = await replay({ directory, step, cwd: io.cwd, onNotice });
  const { from, different } = replayed;
  const isSame = different.length === 0;
  if (json) io.stdout.write(`${JSON.stringify({ ...replayed, isSame })}\n`);
  else {
    const made = `made again from ${from === 0 ? "the start" : `step ${from}`} (${plural(step - from, "update")})`;
    io.stdout.write(
      isSame
        ? `Step ${step}, ${made}, has the same weights and optimiser state, bit for bit.\n`
        : `Step ${step}, ${made}, comes out differently in ${some(different)}. It takes the same build and instruction set.\n`,
    );
  }
  return isSame ? exitCodes.ok : exitCodes.failed;
};

function some(names: readonly string[]): string {
  const rest = names.length - 3;
  return `${names.slice(0, 3).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
