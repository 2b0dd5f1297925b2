// For an environment's own tests.
export { type Script, scriptedModel, type ScriptedReply } from "@hone/core/testing";
export { type Check, checkEnvironment, type CheckOptions } from "./check-environment.ts";
export { runOnce, type RunOnceOptions } from "./run-once.ts";
