// The contract of engine.ts as tests. Every engine runs it, the toy engine included:
//   engineConformance({ name: "cpu", create, adapter: "full", prompt, vocabularySize }, { describe, test, expect })
// An engine is held to what its `info` says; a check it need not pass is skipped with the reason.
import { lossChecks } from "./conformance/losses.ts";
import { policyChecks } from "./conformance/policies.ts";
import { checkWith, type EngineConformanceOptions, type TestApi } from "./conformance/rig.ts";
import { samplingChecks } from "./conformance/sampling.ts";
import { trainingChecks } from "./conformance/training.ts";

export function engineConformance(options: EngineConformanceOptions, api: TestApi): void {
  const check = checkWith(api, options);
  api.describe(`${options.name} keeps the engine contract`, () => {
    api.describe("training", () => trainingChecks(check));
    api.describe("losses", () => lossChecks(check));
    api.describe("sampling", () => samplingChecks(check));
    api.describe("policies", () => policyChecks(check));
  });
}
