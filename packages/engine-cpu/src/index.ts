// Everything other packages and people may use of the embedded engine, by name.
export type { KernelInfo, Kernels } from "./kernel/kernels.ts";
export { type LoadedKernels, loadKernels, type LoadOptions } from "./kernel/load.ts";
