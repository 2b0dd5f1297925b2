// Loading environments and harnesses from files and packages. Node only.
export { importModule } from "./import-module.ts";
export { type LoadedEnvironment, loadEnvironment, loadHarness, type LoadOptions } from "./load-environment.ts";
export { type EnvironmentLocation, listEnvironments, resolveEnvironment, type ResolveOptions } from "./resolve.ts";
export { WorkerEnvironment, type WorkerEnvironmentOptions } from "./worker-environment.ts";
