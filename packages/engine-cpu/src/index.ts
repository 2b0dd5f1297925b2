// Everything other packages and people may use of the embedded engine, by name.
export { type CpuEngineOptions, createCpuEngine } from "./engine/create-cpu-engine.ts";
export { type EngineMemory, type EngineMemoryOptions, planEngineMemory } from "./engine/engine-memory.ts";
export type { KernelInfo, Kernels } from "./kernel/kernels.ts";
export { type LoadedKernels, loadKernels, type LoadOptions } from "./kernel/load.ts";
export { type InitModelOptions, initModelFolder } from "./model/init-model.ts";
export { type LoadModelOptions, loadDecoderConfig } from "./model/load-model.ts";
export { type MemoryPart, memoryPlan, type MemoryPlanOptions } from "./model/memory-plan.ts";
