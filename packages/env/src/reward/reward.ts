// Rewards: named numbers for a rollout, with weights; weight 0 makes a metric. Plain objects inside an environment, so that `task` and
// `state` keep their types; a Rubric is a reusable set that states by type, and by schema for rows from files, what it needs.
import type { Awaitable } from "@hone/core";
import type * as z from "zod";

export type Score<Needs> = (scope: Needs) => Awaitable<number | boolean>;

export type Reward<Needs> = Score<Needs> | ScoreReward<Needs> | GroupReward<Needs> | JudgeReward<Needs>;
export interface ScoreReward<Needs> {
  readonly weight?: number;
  readonly score: Score<Needs>;
}
/** Sees every finished rollout of the task at once and returns a number for each, in order. */
export interface GroupReward<Needs> {
  readonly weight?: number;
  readonly scoreGroup: (group: readonly Omit<Needs, "sandbox">[]) => Awaitable<readonly number[]>;
}
/** Asks another model. Its question and verdict are kept on the rollout under `info.judges`. */
export interface JudgeReward<Needs> {
  readonly weight?: number;
  /** A name in endpoints.toml. */
  readonly judge: string;
  readonly prompt: (scope: Needs) => string;
  /** The number in the verdict; undefined asks again, a few times, then the rollout fails. Default: yes = 1, no = 0, or a plain number. */
  readonly read?: (verdict: string) => number | undefined;
}
export interface Rewards<Needs> {
  readonly [name: string]: Reward<Needs>;
}

/** A reusable set of rewards: `Rubric<{ task: { answer: string }; reply: string }>` does not fit tasks without an answer. */
export class Rubric<Needs = unknown> {
  readonly kind = "hone/rubric";
  readonly rewards: Rewards<Needs>;
  /** The task fields it reads, checked when rows come from files. */
  readonly fields: z.ZodObject | undefined;

  constructor(rewards: Rewards<Needs>, fields?: z.ZodObject) {
    this.rewards = rewards;
    this.fields = fields;
  }
}

/** All that several rubrics need: `{ task: … } & { sandbox: … }`. */
type NeedsOfAll<Rubrics> = Rubrics extends readonly [Rubric<infer First>, ...infer Rest]
  ? First & NeedsOfAll<Rest>
  : unknown;

/** Several rubrics as one; a name used twice is an error. */
export class RubricGroup<const Rubrics extends readonly Rubric<never>[]> extends Rubric<NeedsOfAll<Rubrics>> {
  constructor(rubrics: Rubrics) {
    const rewards: Record<string, Reward<never>> = {};
    for (const rubric of rubrics) {
      for (const [name, reward] of Object.entries(rubric.rewards)) {
        if (name in rewards) throw new TypeError(`Two rewards are named ${name}; rename one.`);
        rewards[name] = reward;
      }
    }
    const fields = rubrics.flatMap((rubric) => (rubric.fields === undefined ? [] : [rubric.fields]));
    super(
      rewards as unknown as Rewards<NeedsOfAll<Rubrics>>,
      fields.length === 0 ? undefined : fields.reduce((all, next) => all.extend(next.shape)),
    );
  }
}

/** A record, a rubric, or a list of them. */
export type RewardOption<Needs> = Rewards<Needs> | Rubric<Needs> | readonly (Rewards<Needs> | Rubric<Needs>)[];

function isRubric(value: object): value is Rubric<never> {
  return (value as { readonly kind?: unknown }).kind === "hone/rubric";
}

/** A reward with its name and weight, types erased: what scoring runs. */
export interface NamedReward {
  readonly name: string;
  readonly weight: number;
  readonly reward: Reward<never>;
}

/** Rewards as written, then metrics with weight 0. Throws when a name is used twice or reserved. */
export function namedRewards(rewards: RewardOption<never>, metrics: Rewards<never> = {}): NamedReward[] {
  const sets = (Array.isArray(rewards) ? rewards : [rewards]) as readonly (Rewards<never> | Rubric<never>)[];
  const all: NamedReward[] = [];
  const add = (set: Rewards<never>, fixedWeight?: number): void => {
    for (const [name, reward] of Object.entries(set)) {
      if (all.some((known) => known.name === name)) throw new TypeError(`Two rewards are named ${name}; rename one.`);
      if (reserved.has(name))
        throw new TypeError(`A reward cannot be named ${name}: the name is taken by a metric that every rollout has.`);
      const weight = fixedWeight ?? (typeof reward === "function" ? 1 : (reward.weight ?? 1));
      if (!Number.isFinite(weight))
        throw new TypeError(`The weight of reward ${name} is ${weight}; it must be a number.`);
      all.push({ name, weight, reward });
    }
  };
  for (const set of sets) add(isRubric(set) ? set.rewards : set);
  add(metrics, 0);
  return all;
}

const reserved = new Set([
  "mean",
  "trained",
  "turns",
  "tool_calls",
  "tool_errors",
  "input_tokens",
  "output_tokens",
  "seconds",
]);

/** The schemas of the fields that the rubrics among these rewards read. */
export function neededFields(rewards: RewardOption<never>): z.ZodObject[] {
  const sets = (Array.isArray(rewards) ? rewards : [rewards]) as readonly (Rewards<never> | Rubric<never>)[];
  return sets.flatMap((set) => (isRubric(set) && set.fields !== undefined ? [set.fields] : []));
}
