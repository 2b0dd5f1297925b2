// Sandboxes of every kind behind one interface (Sandbox in @hone/core), by name.
export { bubblewrap, type BubblewrapOptions } from "./bubblewrap/bubblewrap.ts";
export { defaultSandboxes } from "./detect.ts";
export { docker, type DockerOptions } from "./docker/docker.ts";
export { e2b, type E2BOptions } from "./e2b/e2b.ts";
export { memoryBash, type MemoryBashOptions } from "./memory-bash/memory-bash.ts";
export { pool, type PoolOptions, type SandboxPool } from "./pool.ts";
export { unsafeProcess, type UnsafeProcessOptions } from "./process/process.ts";
export { pyodide, type PyodideOptions } from "./pyodide/pyodide.ts";
export { reapSandboxes } from "./reaper.ts";
export type { CallDefaults, Limits } from "./shared/settings.ts";
