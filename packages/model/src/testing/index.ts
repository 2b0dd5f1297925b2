// A local server for tests, examples and benchmarks: a scripted model, or any other, behind HTTP in every dialect.
export type { Fault, Faults } from "./faults.ts";
export { type RecordedRequest, type ScriptedServer, serveScripted, type ServeScriptedOptions } from "./serve.ts";
