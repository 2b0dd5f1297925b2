// An update of a run made again: the engine is opened from the checkpoint before it, trains on samples/<step> with the run's losses and optimiser, and
// saves. What it saved must be the run's own checkpoint, bit for bit. The run's folder is only read: everything new is made elsewhere.
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { runPaths, stepName } from "@hone/store";
import { optimizerStep, replayUpdates } from "@hone/train";
import { engineNamed, type OpenEngine } from "../engines/open-engine.ts";
import { treatmentIn, treatments } from "../training/treatments.ts";
import { readRunConfig, readRunSetup, type RunSetup } from "./run-setup.ts";
import { differentTensors } from "./compare-checkpoints.ts";

export interface ReplayOptions {
  readonly directory: string;
  readonly step: number;
  readonly cwd: string;
  /** Instead of the engine that the run names. */
  readonly engine?: OpenEngine;
  readonly onNotice: (notice: string) => void;
}

export interface Replayed {
  /** Updates `from + 1` to `step` were made again: more than one where not every step has a checkpoint. */
  readonly from: number;
  readonly step: number;
  readonly loss: number | null;
  /** Tensors of the checkpoint, moments of the optimiser among them, that came out differently. */
  readonly different: readonly string[];
}

export async function replay({ directory, step, cwd, engine: open, onNotice }: ReplayOptions): Promise<Replayed> {
  const { config } = await readRunConfig(directory);
  const setup = await readRunSetup(directory, cwd);
  const { adapter, folder } = setup;
  const { before, at } = checkpointsAround(setup, step);
  const { weights } = runPaths(directory);
  const checkpoints = await mkdtemp(join(tmpdir(), "hone-replay-"));
  try {
    if (before !== undefined) await symlink(join(weights, before.engine), join(checkpoints, before.engine), "junction");
    const engine = await (open ?? engineNamed(config.engine))({
      model: folder,
      name: config.model,
      checkpoints,
      ...(config.seqLen === undefined ? {} : { contextTokens: config.seqLen }),
      ...(config.cpu === undefined ? {} : { cpu: config.cpu }),
      onNotice,
    });
    try {
      const from = before === undefined ? {} : { from: { checkpoint: before.engine } };
      const trainer = await engine.open({ model: engine.info.model, adapter, ...from });
      const results = await replayUpdates({
        directory,
        trainer,
        from: before?.step ?? 0,
        to: step,
        optimizer: optimizerStep(config),
        schedule: config.optimizer.schedule,
        maxSteps: config.maxSteps ?? Number.POSITIVE_INFINITY,
        treatmentOf: treatmentIn(await treatments(config, setup.root)),
        ...(config.microBatchTokens === undefined ? {} : { microBatchTokens: config.microBatchTokens }),
      });
      const saved = await trainer.save(`replay-${stepName(step)}`);
      const different = await differentTensors(join(weights, at.engine), join(checkpoints, saved.checkpoint));
      return { from: before?.step ?? 0, step, loss: results.at(-1)?.metrics["update/loss"] ?? null, different };
    } finally {
      await engine.close();
    }
  } finally {
    await rm(checkpoints, { recursive: true, force: true });
  }
}

function checkpointsAround({ checkpoints }: RunSetup, step: number) {
  const at = checkpoints.find((one) => one.step === step);
  const before = checkpoints.findLast((one) => one.step < step);
  if (at !== undefined) return { before, at };
  const kept = checkpoints.map((one) => one.step);
  throw new HoneError(`There is no checkpoint of step ${step} to compare with.`, {
    code: "checkpoint",
    hint:
      kept.length === 0
        ? "The run has none."
        : `The run keeps those of ${kept.join(", ")}; checkpoint.keep says how many.`,
  });
}
