// The contract of sandbox.ts in the core as tests. Every provider runs it:
//   sandboxConformance({ name: "bubblewrap", provider, isolates: true, features }, { describe, test, expect })
// A provider is held to what its features say; a check that it need not pass is skipped with the reason.
import type { TestApi } from "@hone/core/testing";
import { execChecks } from "./conformance/exec.ts";
import { fileChecks } from "./conformance/files.ts";
import { jobChecks } from "./conformance/jobs.ts";
import { leaseChecks } from "./conformance/leases.ts";
import { outputChecks } from "./conformance/output.ts";
import { checkWith, type SandboxSuiteOptions } from "./rig.ts";

export function sandboxConformance(options: SandboxSuiteOptions, api: TestApi): void {
  const check = checkWith(api, options);
  api.describe(`${options.name} keeps the sandbox contract`, () => {
    api.describe("commands", () => execChecks(check));
    api.describe("output", () => outputChecks(check));
    api.describe("files", () => fileChecks(check));
    api.describe("jobs", () => jobChecks(check));
    api.describe("leases", () => leaseChecks(check));
  });
}
