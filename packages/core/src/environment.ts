// What eval and train run. Not generic: field and state types live where environments are written (@hone/env) and are erased here.
import type { CallOptions, JsonObject } from "./data.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "./message.ts";
import type { Model, Sampling, ToolSpec } from "./model.ts";
import type { Limits, Rollout, RolloutIdentity, Stop } from "./rollout.ts";
import type { SandboxProvider } from "./sandbox.ts";
import type { Split, Task, Taskset } from "./task.ts";

export interface Environment {
  /** How a loaded module is recognised; two copies of a package are normal, so never by instanceof. */
  readonly kind: "hone/environment";
  readonly info: EnvironmentInfo;
  tasks(split: Split): Taskset;
  /** Sandbox, state, prompt, turns, rewards, clean-up, in this order. Failures are data; it throws only when cancelled before it began. */
  rollout(request: RolloutRequest): Promise<Rollout>;
  /** Group rewards on a finished group, or every reward again on saved rollouts. Works on data alone: no sandbox. */
  score(request: ScoreRequest): Promise<readonly Rollout[]>;
}

export interface EnvironmentInfo {
  readonly name: string;
  readonly tools: readonly ToolSpec[];
  readonly rewards: Readonly<Record<string, number>>;
  /** Whether it declares held-out tasks; without them a hash of the task splits. */
  readonly hasEvalTasks: boolean;
  /** Whether a reward looks at all rollouts of a task at once, so that a group must be complete before it is scored. */
  readonly comparesGroups: boolean;
}

export interface RolloutRequest {
  readonly task: Task;
  readonly identity: RolloutIdentity;
  readonly resources: Resources;
  readonly settings?: RolloutSettings;
  readonly signal: AbortSignal;
}
export interface ScoreRequest {
  readonly task: Task;
  readonly rollouts: readonly Rollout[];
  readonly resources: Resources;
  /** "group": only the rewards that compare. "all": every reward again. */
  readonly which: "group" | "all";
  readonly signal: AbortSignal;
}

/** What a run's configuration may change about an environment, without its arguments. */
export interface RolloutSettings {
  /** The environment's name in this run, and the version of the package it came from. */
  readonly name?: string;
  readonly version?: string;
  readonly system?: string;
  /** Only these tools, by name. */
  readonly tools?: readonly string[];
  readonly limits?: Limits;
}

/** Handed in by the composer; an environment constructs none of these. Judges come from `models(name)`. */
export interface Resources {
  readonly model: Model;
  readonly models: (name: string) => Model;
  readonly sandboxes: SandboxProvider;
  /** Undefined: the environment's own, which is `chat` unless it says otherwise. */
  readonly harness: Harness | undefined;
  readonly sampling: Sampling;
  readonly watchdog?: Watchdog;
}

/** Runs environment code and notices when it holds the event loop: thousands of rollouts share it. */
export interface Watchdog {
  call<T>(env: string, where: string, work: () => T): T;
}

/** How the model is run on one task. `chat` is the default; others are chosen by `harness.id`. */
export interface Harness {
  readonly id: string;
  run(session: Session, options: CallOptions): Promise<Stop>;
}
/** All that a harness sees of an environment. */
export interface Session {
  readonly prompt: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** One recorded model call, or why there is none. */
  turn(say: readonly Message[], from?: TurnFrom): Promise<Replied | Stop>;
  call(call: ToolCall): Promise<ToolMessage>;
  respond(reply: AssistantMessage): Promise<readonly Message[] | Stop>;
}
/** After the last message unless told; node null starts a new root (compaction, a sub-agent, another player, a program that resends). */
export interface TurnFrom {
  readonly node?: number | null;
  readonly agent?: string;
}
export interface Replied {
  readonly node: number;
  readonly message: AssistantMessage;
}

export function isStop(value: object): value is Stop {
  return "type" in value;
}

/** What a package may export by default besides an environment: one with arguments. */
export interface EnvironmentDefinitionLike {
  readonly kind: "hone/environment-definition";
  create(input: JsonObject): Environment;
}
