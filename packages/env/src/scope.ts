// What an environment's functions receive: one object each, typed from `tasks` and `state`.
// `sandbox` is in scope only where the environment declares one: a compile error, not a surprise at step 400.
import type { AssistantMessage, Message, Model, Random, Rollout, Sandbox, Task } from "@hone/core";

type WithSandbox<Box> = [Box] extends [undefined] ? unknown : SandboxScope;
export interface SandboxScope {
  readonly sandbox: Sandbox;
  /** Another one like it, untouched by the model: for grading. Closed with the rollout. */
  readonly freshSandbox: () => Promise<Sandbox>;
}

/** Before the first turn. */
export type SetupScope<Fields, Box = undefined> = {
  readonly task: Task<Fields>;
  /** The rollout's own randomness: the same in every run with the same seed. */
  readonly random: Random;
  /** A model by its name in endpoints.toml: judges, simulated users. */
  readonly model: (name: string) => Model;
  readonly signal: AbortSignal;
} & WithSandbox<Box>;

/** During the rollout. `state` is per rollout, mutable, saved with it, never shown to the model. */
export type Scope<Fields, State, Box = undefined> = SetupScope<Fields, Box> & { readonly state: State };

/** After a reply. `reply` is its text without reasoning; `turn` counts replies so far. */
export type TurnScope<Fields, State, Box = undefined> = Scope<Fields, State, Box> & {
  readonly reply: string;
  readonly message: AssistantMessage;
  readonly messages: readonly Message[];
  readonly turn: number;
};

/** After the last turn, while the sandbox still lives. `reply` is the last assistant text, "" when there is none. */
export type RewardScope<Fields, State, Box = undefined> = Scope<Fields, State, Box> & {
  readonly reply: string;
  readonly messages: readonly Message[];
  readonly rollout: Rollout<State>;
};
