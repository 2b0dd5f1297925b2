// The one environment class. `defineEnvironment` and the familiar names below it (classes.ts) narrow its options and add nothing.
import type {
  Awaitable,
  Data,
  Environment,
  EnvironmentInfo,
  Rollout,
  RolloutRequest,
  ScoreRequest,
  Split,
  Task,
  Taskset,
} from "@hone/core";
import { type Answer, type AnyOptions, type Box, end, type EnvironmentOptions } from "./options.ts";
import { isGroupReward } from "./reward/score.ts";
import { compile, type Program } from "./rollout/program.ts";
import { runRollout } from "./rollout/run-rollout.ts";
import { scoreSaved } from "./rollout/score-saved.ts";
import type { TurnScope } from "./scope.ts";
import { checkedTasks } from "./task/checked.ts";
import { split, tasksetFrom } from "./task/taskset.ts";
import type { ToolShapes } from "./tool/tool.ts";

/** To subclass: hand to `super` what can be inferred, override `respond` (annotate its one parameter). */
export class MultiTurnEnv<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
  Sandboxed extends Box = undefined,
> implements Environment {
  readonly kind = "hone/environment";
  readonly info: EnvironmentInfo;
  readonly #options: AnyOptions;
  readonly #program: Program;

  constructor(options: EnvironmentOptions<Fields, State, Tools, Sandboxed>) {
    this.#options = options as unknown as AnyOptions; // the one place where the types of fields and state are erased
    const isAnswered = options.respond === undefined && this.respond === MultiTurnEnv.prototype.respond;
    this.#program = compile(this.#options, isAnswered ? undefined : (scope) => this.respond(scope as never));
    this.info = {
      name: options.name,
      tools: this.#program.specs,
      rewards: Object.fromEntries(this.#program.rewards.map(({ name, weight }) => [name, weight])),
      hasEvalTasks: options.evalTasks !== undefined,
      comparesGroups: this.#program.rewards.some(({ reward }) => isGroupReward(reward)),
    };
  }

  respond(scope: TurnScope<Fields, State, Sandboxed>): Awaitable<Answer> {
    return this.#options.respond?.(scope as never) ?? end("answered");
  }

  tasks(which: Split): Taskset {
    const { tasks, evalTasks } = this.#options;
    const checked = (taskset: Taskset): Taskset => checkedTasks(taskset, this.#program.fields, this.info.name);
    if (evalTasks !== undefined && which === "eval") return checked(tasksetFrom(evalTasks));
    const all = checked(tasksetFrom(tasks));
    return evalTasks === undefined ? split(all, which) : all;
  }

  /** The replies, turn by turn, that must score 1, where the environment gives them. */
  gold(task: Task): readonly string[] | undefined {
    const gold = this.#options.gold?.({ task });
    return typeof gold === "string" ? [gold] : gold;
  }

  rollout(request: RolloutRequest): Promise<Rollout> {
    return runRollout(this.#program, request);
  }

  score(request: ScoreRequest): Promise<readonly Rollout[]> {
    return scoreSaved(this.#program, request);
  }
}

/** The short form: the same class, nothing to subclass. */
export function defineEnvironment<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
  Sandboxed extends Box = undefined,
>(options: EnvironmentOptions<Fields, State, Tools, Sandboxed>): MultiTurnEnv<Fields, State, Tools, Sandboxed> {
  return new MultiTurnEnv(options);
}
