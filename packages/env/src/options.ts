// The options of an environment, in the order of the flow: tasks, prompt, state, tools, respond, stop, rewards. Types flow from `tasks` to every
// function below it; written in another order, a `state` that takes a parameter is not seen by what stands above it.
import type { Awaitable, Data, Harness, LimitName, Message, SandboxSpec, Task } from "@hone/core";
import type { RewardOption, Rewards } from "./reward/reward.ts";
import type { RewardScope, Scope, SetupScope, TurnScope } from "./scope.ts";
import type { TaskSource } from "./task/taskset.ts";
import type { Tool, ToolShapes } from "./tool/tool.ts";
import type { Toolset } from "./tool/toolset.ts";

export type Box = SandboxSpec | undefined;

/** The environment's move: a user message, several messages, or the end. */
export type Answer = string | readonly Message[] | End;
export interface End {
  readonly by: string;
  readonly say?: string;
}
/** Ends the rollout; `by` is the stop reason, `say` a last message to the model. */
export function end(by: string, say?: string): End {
  return say === undefined ? { by } : { by, say };
}

export interface EnvironmentOptions<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes,
  Sandboxed extends Box,
> {
  readonly name: string;
  readonly tasks: TaskSource<Fields>;
  /** Held out for evaluation; without them one task in ten is, by hash. */
  readonly evalTasks?: TaskSource<NoInfer<Fields>>;
  readonly system?: string;
  readonly prompt: (scope: { readonly task: Task<Fields> }) => string | readonly Message[];
  readonly sandbox?: Sandboxed;
  /** Fresh for every rollout. */
  readonly state?: (scope: SetupScope<Fields, Sandboxed>) => Awaitable<State>;
  readonly tools?: { readonly [Name in keyof Tools]: Tool<Tools[Name], Scope<Fields, State, Sandboxed>> };
  /** Further tools, known when the rollout starts; closed with it. */
  readonly toolset?: (scope: Scope<Fields, State, Sandboxed>) => Awaitable<Toolset>;
  /** After a reply without tool calls. Without it such a reply is the answer. */
  readonly respond?: (scope: TurnScope<Fields, State, Sandboxed>) => Awaitable<Answer>;
  /** Tried in the order written before each further turn, after the limits. */
  readonly stop?: { readonly [name: string]: (scope: TurnScope<Fields, State, Sandboxed>) => Awaitable<boolean> };
  readonly rewards: RewardOption<NoInfer<RewardScope<Fields, State, Sandboxed>>>;
  /** Rewards of weight 0. */
  readonly metrics?: Rewards<NoInfer<RewardScope<Fields, State, Sandboxed>>>;
  /** A reply that must score 1, or one per turn; `hone env test` tries it, runs keep it beside the task. Models do not see it. */
  readonly gold?: (scope: { readonly task: Task<Fields> }) => string | readonly string[];
  /** After the rewards; also on failure and on cancel. */
  readonly cleanup?: (scope: Scope<Fields, State, Sandboxed>) => Awaitable<void>;
  /** Model calls, at most. Default: 10 with tools, 100 otherwise. */
  readonly maxTurns?: number;
  readonly limits?: { readonly [Name in Exclude<LimitName, "turns">]?: number };
  /** How the model is run; `chat` unless given here or in the run's configuration. */
  readonly harness?: Harness;
}

/** The same options after the types have done their work: what the loop sees. */
export type AnyOptions = EnvironmentOptions<object, object, ToolShapes, Box>;
