// What proves a sandbox provider: the conformance suite, the hostile suite, and the words they are spoken in.
export { type SandboxCommands, shellCommands } from "./commands.ts";
export { hostileSuite } from "./hostile-suite.ts";
export { type SandboxFeatures, type SandboxSuiteOptions } from "./rig.ts";
export { sandboxConformance } from "./sandbox-conformance.ts";
export { lacking, testSandboxes } from "./test-sandboxes.ts";
