// The parts of the engine, for measuring them on their own: everything here runs in the caller's thread and blocks it.
export { loadKernels } from "./kernel/load.ts";
export { createDecoder } from "./model/assemble.ts";
export { readDecoderConfig } from "./model/config.ts";
export { randomValues } from "./model/init-model.ts";
export { createStepModel } from "./model/step-model.ts";
export { BatchSampler } from "./sample/sampler.ts";
export { createTrainer } from "./train/create-trainer.ts";
