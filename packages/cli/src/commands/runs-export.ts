// `hone runs export RUN`: the policy of a checkpoint as a PEFT adapter, or merged into its model as a whole folder.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { HoneError } from "@hone/core";
import { runPaths } from "@hone/store";
import type { Work } from "../command.ts";
import { engineNamed } from "../engines/open-engine.ts";
import { exitCodes, type Io } from "../io.ts";
import { findRun } from "../run/find-run.ts";
import { mergeAdapter } from "../run/merge-adapter.ts";
import { readRunSetup, type RunSetup } from "../run/run-setup.ts";
import { shown } from "../screen/shown-path.ts";
import { exportPolicy, policyFolder } from "../training/export-policy.ts";

export interface RunsExportFlags {
  readonly step: number | undefined;
  readonly merged: boolean;
  readonly output: string | undefined;
  readonly json: boolean;
}

export const runsExport: Work<RunsExportFlags, [run: string]> = async ({ io }, flags, name) => {
  const directory = await findRun(name, io.cwd);
  const setup = await readRunSetup(directory, io.cwd);
  const checkpoint = checkpointAt(setup, flags.step, name);
  if (flags.merged && flags.output === undefined) {
    throw new HoneError("Where is the merged model to go?", { code: "usage", hint: "Name a folder: --output FOLDER" });
  }
  const earlierStep = checkpoint === setup.checkpoints.at(-1) ? undefined : checkpoint.step;
  const own = policyFolder(directory, setup.adapter, earlierStep);
  const output = flags.output === undefined ? own : resolve(io.cwd, flags.output);
  const isMerged = flags.merged && setup.adapter !== "full";
  await using part = await temporary();
  await write(setup, directory, checkpoint.engine, isMerged ? part.folder : output, io);
  if (isMerged) await mergeAdapter({ adapter: part.folder, output, cwd: setup.root, base: setup.folder });
  const kind = isMerged || setup.adapter === "full" ? "model" : "adapter";
  if (flags.json) io.stdout.write(`${JSON.stringify({ kind, step: checkpoint.step, folder: output })}\n`);
  else io.stdout.write(`The ${kind} of step ${checkpoint.step} is in ${shown(output, io.cwd)}\n`);
  return exitCodes.ok;
};

async function write(setup: RunSetup, directory: string, engineName: string, output: string, io: Io): Promise<void> {
  const engine = await engineNamed(setup.config.engine)({
    model: setup.folder,
    name: setup.config.model,
    checkpoints: runPaths(directory).weights,
    onNotice: (notice) => io.stderr.write(`note: ${notice}\n`),
  });
  try {
    await exportPolicy({ engine, adapter: setup.adapter, from: { checkpoint: engineName }, output });
  } finally {
    await engine.close();
  }
}

function checkpointAt({ checkpoints: kept }: RunSetup, step: number | undefined, name: string) {
  const found = step === undefined ? kept.at(-1) : kept.find((one) => one.step === step);
  if (found !== undefined) return found;
  throw new HoneError(
    kept.length === 0 ? `\`${name}\` has no checkpoint yet.` : `\`${name}\` has no checkpoint of step ${step}.`,
    {
      code: "checkpoint",
      hint:
        kept.length === 0
          ? "Let it make its first step."
          : `It keeps those of ${kept.map((one) => one.step).join(", ")}.`,
    },
  );
}

async function temporary(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "hone-export-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
