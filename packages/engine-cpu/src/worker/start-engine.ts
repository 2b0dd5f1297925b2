// Everything the engine's thread needs, built once from its settings: kernels, the model, its policies, the trainer's and the sampler's side.
import { stepTokens, usualSnapshotBytes } from "../engine/defaults.ts";
import type { Ready, WorkerSettings } from "../engine/protocol.ts";
import { loadKernels } from "../kernel/load.ts";
import { loadDecoder, loadDecoderConfig } from "../model/load-model.ts";
import { scoreSequences } from "../model/score.ts";
import { createStepModel } from "../model/step-model.ts";
import { BatchSampler } from "../sample/sampler.ts";
import { planCache } from "./cache-plan.ts";
import { checkpointPolicy } from "./checkpoint-policy.ts";
import { removeLeftovers } from "./checkpoint-write.ts";
import { Policies } from "./policies.ts";
import { Sampling } from "./sampling.ts";
import { Texts } from "./texts.ts";
import { Training } from "./training.ts";

export interface Started {
  readonly ready: Ready;
  readonly training: Training;
  readonly sampling: Sampling;
}

/** `wake` is called when there is something to do. */
export async function startEngine(settings: WorkerSettings, wake: () => void): Promise<Started> {
  const { model, name, checkpoints, snapshotBytes = usualSnapshotBytes } = settings;
  const { kernels, fallback } = loadKernels({ ...settings, isBackground: true });
  const config = await loadDecoderConfig(model, settings);
  const { contextTokens, capacity, notice, ...pages } = planCache(config, settings);
  const base = await loadDecoder(kernels, model, { contextTokens });
  await removeLeftovers(checkpoints);
  const policies = new Policies({
    base: { version: 0, decoder: base },
    memory: kernels.memory,
    snapshotBytes,
    loadCheckpoint: (checkpoint) =>
      checkpointPolicy({ folder: checkpoints, name: checkpoint, model: name, kernels, base }),
  });
  const texts = new Texts(model);
  const sampling = new Sampling({
    policies,
    sampler: new BatchSampler({
      model: createStepModel(kernels, base.config, pages),
      kernels,
      policyOf: policies.policyOf,
      textOf: texts.textOf,
      capacity,
      stepTokens,
    }),
    score: (policy, { sequences, temperature }) => scoreSequences(kernels, policy, sequences, temperature),
    loadTexts: () => texts.load(),
    wake,
  });
  const training = new Training({ kernels, base, policies, settings });
  const notices = [fallback === undefined ? undefined : `WASM is used: ${fallback}`, notice];
  const ready = {
    contextTokens,
    capacity,
    kernels: kernels.info,
    notices: notices.filter((text) => text !== undefined),
  };
  return { ready, training, sampling };
}
