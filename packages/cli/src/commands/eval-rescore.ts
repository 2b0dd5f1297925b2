// `hone eval rescore FOLDER`: the rewards of an environment again on the rollouts of an evaluation.
import { HoneError, type JsonObject } from "@hone/core";
import { renderRescored, rescore } from "@hone/eval";
import { openRun } from "@hone/store";
import type { Work } from "../command.ts";
import { findEnvironment } from "../environment/find-environment.ts";
import { evaluationFolder, readSettings } from "../evaluation/directories.ts";
import { shown } from "../screen/shown-path.ts";
import { exitCodes } from "../io.ts";
import { Models } from "../model/find-model.ts";
import { ProgressLine } from "../screen/progress-line.ts";
import { styleFor } from "../screen/style.ts";

export interface RescoreFlags {
  readonly env: string | undefined;
  readonly endpoints: string | undefined;
  readonly envFile: readonly string[] | undefined;
  readonly json: boolean;
}

export const rescoreCommand: Work<RescoreFlags, [directory: string]> = async ({ io }, flags, name) => {
  const { cwd } = io;
  const directory = await evaluationFolder(name, cwd);
  const { config } = await readSettings((await openRun(directory)).config, directory);
  const id = flags.env ?? config["id"];
  if (typeof id !== "string") {
    throw new HoneError(`${name} does not say which environment it is of.`, {
      code: "usage",
      hint: `Name it: hone eval rescore ${name} --env ENV`,
    });
  }
  const { environment } = await findEnvironment(id, { cwd, args: (config["args"] ?? {}) as JsonObject });
  await using models = await Models.open({
    cwd,
    env: io.env,
    envFiles: flags.envFile ?? [],
    ...(flags.endpoints === undefined ? {} : { endpoints: flags.endpoints }),
  });
  using line = new ProgressLine({
    output: flags.json ? { ...io.stderr, isTerminal: false, write: () => undefined } : io.stderr,
  });
  const controller = new AbortController();
  const stopListening = io.onInterrupt(() => controller.abort());
  const rescored = await rescore({
    directory,
    environment,
    models: models.judge,
    onProgress: ({ done, total }) => line.show(`${done}/${total} rollouts`),
    signal: controller.signal,
  }).finally(stopListening);
  line.clear();
  const { after } = rescored;
  if (flags.json) io.stdout.write(`${JSON.stringify(rescored)}\n`);
  else {
    const short = {
      ...rescored,
      after: { ...after, directory: after.directory === null ? null : shown(after.directory, cwd) },
    };
    io.stdout.write(`${renderRescored(short, { color: styleFor(io.stdout, io.env).color })}\n`);
  }
  if (after.interrupted) return exitCodes.interrupted;
  return after.failed > 0 ? exitCodes.failed : exitCodes.ok;
};
