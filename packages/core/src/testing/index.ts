// What tests, examples and the offline command line use: a scripted model, a toy engine, the conformance suite of engines.
// Browser-safe like the core, and free of any test runner.
export { byteMarkers, byteVocabularySize, decodeByteTokens, encodeByteReply, renderBytePrompt } from "./byte-tokens.ts";
export type { EngineConformanceOptions, TestApi, TestContext, TestMatchers } from "./conformance/rig.ts";
export { engineConformance } from "./engine-conformance.ts";
export {
  type Script,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
  type ScriptTurn,
} from "./scripted-model.ts";
export { type CheckpointStore, memoryCheckpoints } from "./toy-checkpoint.ts";
export { createToyEngine, type ToyEngineOptions } from "./toy-engine.ts";
