// Algorithm: how a finished group becomes credit. Pure; its state is data and is checkpointed; logprobs it needs are fetched before `credit`.
import type { Json } from "./data.ts";
import type { CustomLoss, LossSpec } from "./loss.ts";
import type { Rollout } from "./rollout.ts";
import type { Sample } from "./sample.ts";

export interface Algorithm {
  readonly name: string;
  /** Logprobs to fill into `Sample.reference` beforehand: KL to the start, distillation. */
  readonly needs: readonly ("reference" | "teacher")[];
  /** Data that engines know, or a function of the logprobs that runs on any of them (`forwardBackwardCustom`). */
  readonly loss: LossSpec | CustomLoss;
  credit(group: CreditGroup, state: Json): { readonly credit: readonly Credit[]; readonly state: Json };
  /** A last look at the whole batch: normalising advantages over it, for example. */
  finish?(batch: readonly Sample[]): readonly Sample[];
}

/** The unit of comparison: the rollouts of one task, seen from one agent. */
export interface CreditGroup {
  readonly env: string;
  readonly agent: string;
  readonly rollouts: readonly Rollout[];
  /** [rollout][branch], advantage still 0. */
  readonly samples: readonly (readonly Sample[])[];
}

/** One number for every trained token of a rollout, or one column per sample of it. */
export type Credit = number | readonly Float32Array[];
