// What model-written code may try, as tests. Every provider that isolates runs it; each attack must be contained:
//   hostileSuite({ name: "bubblewrap", provider, isolates: true, features }, { describe, test, expect })
// Limits are small, so that a provider that does not keep them costs the machine little. What needs processes is skipped where there are none.
import type { TestApi } from "@hone/core/testing";
import { escapeChecks } from "./hostile/escapes.ts";
import { exhaustionChecks } from "./hostile/exhaustion.ts";
import { processChecks } from "./hostile/processes.ts";
import { secretChecks } from "./hostile/secrets.ts";
import { checkWith, type SandboxSuiteOptions } from "./rig.ts";

export function hostileSuite(options: SandboxSuiteOptions, api: TestApi): void {
  if (!options.isolates)
    throw new Error(`${options.name} does not isolate: hostile code has nothing to be contained by`);
  const limits = { memoryMb: 256, diskMb: 64, processes: 64 };
  const check = checkWith(api, { ...options, spec: { ...limits, ...options.spec } });
  api.describe(`${options.name} contains hostile code`, () => {
    api.describe("exhaustion", () => exhaustionChecks(check));
    api.describe("secrets", () => secretChecks(check));
    api.describe("escapes", () => escapeChecks(check));
    api.describe("processes", () => processChecks(check));
  });
}
