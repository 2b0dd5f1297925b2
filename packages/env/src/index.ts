// Write an environment: everything it takes, by name. Heavier things are subpaths: @hone/env/data, /load, /testing.
export { createRandom, type Message, type Random, type Rollout, type Task, type Taskset } from "@hone/core";
export { SingleTurnEnv, StatefulToolEnv, ToolEnv } from "./classes.ts";
export { EnvGroup, type EnvGroupOptions } from "./env-group.ts";
export { defineEnvironment, MultiTurnEnv } from "./environment.ts";
export { CodeRubric, type CodeRubricOptions, type CodeScope } from "./code/code-rubric.ts";
export { type Language, languages } from "./code/languages.ts";
export {
  type CodeTest,
  extractCode,
  type RunTests,
  runTests,
  type TestOutcome,
  type TestReport,
} from "./code/run-tests.ts";
export { extractMathAnswer, mathEqual, type MathOptions, MathRubric } from "./math/index.ts";
export { type Answer, end, type End, type EnvironmentOptions } from "./options.ts";
export { Parser } from "./parse/parser.ts";
export { MaybeThinkParser, ThinkParser } from "./parse/think-parser.ts";
export { XMLParser } from "./parse/xml-parser.ts";
export { PythonEnv, type PythonEnvOptions, pythonTool } from "./python/python-env.ts";
export { type CellResult, PythonSession, type PythonSessionOptions } from "./python/session.ts";
export { extractBoxed, extractHash, extractLastHash } from "./reward/extract.ts";
export { fillTemplate, JudgeRubric, type JudgeRubricOptions, readVerdict } from "./reward/judge.ts";
export {
  type GroupReward,
  type JudgeReward,
  type Reward,
  type RewardOption,
  type Rewards,
  Rubric,
  RubricGroup,
  type Score,
} from "./reward/reward.ts";
export { difflibRatio, levenshtein, tokenF1 } from "./reward/similarity.ts";
export { abortable, onAbort } from "./rollout/abort.ts";
export { chat, findHarness, single } from "./rollout/harness.ts";
export { type RetryHooks, type RetryPolicy, rolloutWithRetry } from "./rollout/retry.ts";
export { type Blocked, EventLoopWatchdog, type WatchdogOptions } from "./rollout/watchdog.ts";
export type { RewardScope, SandboxScope, Scope, SetupScope, TurnScope } from "./scope.ts";
export { SandboxEnv, type SandboxEnvOptions } from "./shell/sandbox-env.ts";
export { type ShellOptions, type ShellTools, shellTools } from "./shell/bash-tool.ts";
export { type GoldOf, ownGold, recordedGold } from "./task/gold.ts";
export { endless, interleave, split, tasksetFrom, type TaskSource } from "./task/taskset.ts";
export { defineTaskset, HarnessedEnv, type HarnessedOptions, type TasksetOptions } from "./taskset-harness.ts";
export { fatal } from "./tool/call-tool.ts";
export { tool, type Tool } from "./tool/tool.ts";
export type { ToolResult, Toolset } from "./tool/toolset.ts";
export { type EnvironmentDefinition, withArgs } from "./with-args.ts";
