// An environment compiled once for many rollouts: options with types erased, tool schemas converted, rewards named.
import type { Awaitable, ToolSpec } from "@hone/core";
import type { AnyOptions, Answer, Box } from "../options.ts";
import { JudgeCache } from "../reward/judge.ts";
import { type NamedReward, namedRewards, neededFields } from "../reward/reward.ts";
import type { TurnScope } from "../scope.ts";
import { type AnyTool, toolSpecs } from "../tool/tool.ts";
import type * as z from "zod";

export type ErasedTurnScope = TurnScope<object, object, Box>;

export interface Program {
  readonly options: AnyOptions;
  /** Undefined where a reply without tool calls is the answer. */
  readonly respond: ((scope: ErasedTurnScope) => Awaitable<Answer>) | undefined;
  readonly tools: Readonly<Record<string, AnyTool>>;
  readonly specs: readonly ToolSpec[];
  readonly toolNames: readonly string[];
  readonly rewards: readonly NamedReward[];
  readonly fields: readonly z.ZodObject[];
  readonly cache: JudgeCache;
}

export function compile(options: AnyOptions, respond: Program["respond"]): Program {
  const tools = (options.tools ?? {}) as Readonly<Record<string, AnyTool>>;
  return {
    options,
    respond,
    tools,
    specs: toolSpecs(tools),
    toolNames: Object.keys(tools),
    rewards: namedRewards(options.rewards, options.metrics),
    fields: neededFields(options.rewards),
    cache: new JudgeCache(),
  };
}
