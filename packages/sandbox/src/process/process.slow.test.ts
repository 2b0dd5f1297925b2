// The conformance suite without isolation: the same contract on ordinary processes.
import { describe, expect, test } from "vitest";
import { sandboxConformance } from "../testing/index.ts";
import { unsafeProcess } from "./process.ts";

sandboxConformance(
  {
    name: "process",
    provider: unsafeProcess({ iKnowThisRunsOnMyMachine: true }),
    isolates: false,
    features: { jobs: true, processes: true, shell: true, workFolder: false, links: true, snapshot: true },
  },
  { describe, test, expect },
);

test("without the word it is refused", () => {
  expect(() => unsafeProcess({} as never)).toThrow("without isolation");
});
