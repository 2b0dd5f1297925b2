// Reward: runs the named rewards of an environment on one finished rollout, or the group rewards on a finished group.
// A reward that throws or gives no finite number fails the scoring at the boundary "reward"; it never scores 0.
import {
  boundary,
  BoundaryError,
  HoneError,
  type JsonObject,
  type Model,
  type RewardValue,
  type Watchdog,
} from "@hone/core";
import { askJudge, type JudgeCache } from "./judge.ts";
import type { GroupReward, JudgeReward, NamedReward, ScoreReward } from "./reward.ts";

export interface Scores {
  readonly rewards: Readonly<Record<string, RewardValue>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly judges: JsonObject;
}

export interface ScoreRun {
  readonly env: string;
  readonly rewards: readonly NamedReward[];
  readonly scope: { readonly model: (name: string) => Model; readonly signal: AbortSignal };
  readonly cache: JudgeCache;
  readonly watchdog: Watchdog | undefined;
  /** Values kept for rewards that need a sandbox which is gone. */
  readonly saved?: Scores;
}

/** Every reward that looks at one rollout, side by side. */
export async function scoreRollout(run: ScoreRun): Promise<Scores> {
  const own = run.rewards.filter(({ reward }) => !isGroupReward(reward));
  const results = own.map((named) => scoreOne(named, run));
  await Promise.all(results.filter((result) => result instanceof Promise));
  const settled: One[] = [];
  for (const result of results) settled.push(result instanceof Promise ? await result : result);
  const judges: Record<string, JsonObject> = {};
  const values: [NamedReward, number][] = [];
  for (const [index, named] of own.entries()) {
    const one = settled[index]!;
    values.push([named, one.value]);
    if (one.judge !== undefined) judges[named.name] = one.judge;
  }
  return { ...asScores(values), judges };
}

interface One {
  readonly value: number;
  readonly judge?: JsonObject;
}

function scoreOne(named: NamedReward, run: ScoreRun): One | Promise<One> {
  const { name, reward } = named;
  const { scope, watchdog, env } = run;
  try {
    if (isJudgeReward(reward)) {
      return boundary("reward", async () => {
        const { value, detail } = await askJudge({ name, reward, scope, cache: run.cache });
        return { value: checked(value, name), judge: detail };
      });
    }
    const score = (typeof reward === "function" ? reward : (reward as ScoreReward<never>).score) as (
      scope: unknown,
    ) => unknown;
    const value = watchdog === undefined ? score(scope) : watchdog.call(env, `reward ${name}`, () => score(scope));
    if (!(value instanceof Promise)) return { value: checked(value, name) };
    return value.then(
      (result: unknown) => ({ value: checked(result, name) }),
      (error: unknown) => keptOrThrow(error, named, run.saved),
    );
  } catch (error) {
    return keptOrThrow(error, named, run.saved);
  }
}

function keptOrThrow(error: unknown, { name, weight }: NamedReward, saved: Scores | undefined): One {
  if (saved !== undefined && HoneError.is(error) && error.code === "no-sandbox") {
    const value = weight === 0 ? saved.metrics[name] : saved.rewards[name]?.value;
    if (value !== undefined) return { value };
  }
  throw HoneError.is(error) && "boundary" in error ? error : new BoundaryError("reward", named(error, name));
}

/** The message says which reward it was. */
function named(error: unknown, name: string): HoneError {
  const message = error instanceof Error ? error.message : String(error);
  const code = HoneError.is(error) ? error.code : error instanceof Error ? error.name : "error";
  return new HoneError(`Reward ${name}: ${message}`, { code, cause: error });
}

function checked(value: unknown, name: string): number {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const hint = "A reward is a finite number or a boolean.";
  const cause = new HoneError(`Reward ${name} returned ${String(value)}.`, { code: "bad-reward", hint });
  throw new BoundaryError("reward", cause);
}

export interface GroupRun {
  readonly env: string;
  readonly rewards: readonly NamedReward[];
  /** One scope per finished rollout. */
  readonly scopes: readonly object[];
  readonly watchdog: Watchdog | undefined;
}

/** Group rewards for each rollout of the group, in order. */
export async function scoreGroup({ env, rewards, scopes, watchdog }: GroupRun): Promise<Omit<Scores, "judges">[]> {
  const values: [NamedReward, number][][] = scopes.map(() => []);
  for (const named of rewards) {
    const { name, reward } = named;
    if (!isGroupReward(reward)) continue;
    const score = reward.scoreGroup as (group: readonly object[]) => unknown;
    const run = (): unknown => score(scopes);
    const results = await boundary("reward", () =>
      watchdog === undefined ? run() : watchdog.call(env, `reward ${name}`, run),
    );
    if (!Array.isArray(results) || results.length !== scopes.length) {
      const count = Array.isArray(results) ? `${results.length} numbers` : typeof results;
      throw new BoundaryError(
        "reward",
        new HoneError(`Group reward ${name} returned ${count} for ${scopes.length} rollouts.`, { code: "bad-reward" }),
      );
    }
    for (const [index, value] of results.entries()) values[index]?.push([named, checked(value, name)]);
  }
  return values.map(asScores);
}

function asScores(values: readonly (readonly [NamedReward, number])[]): Omit<Scores, "judges"> {
  const rewards: Record<string, RewardValue> = {};
  const metrics: Record<string, number> = {};
  for (const [{ name, weight }, value] of values) {
    if (weight === 0) metrics[name] = value;
    else rewards[name] = { value, weight };
  }
  return { rewards, metrics };
}

export function totalReward(rewards: Readonly<Record<string, RewardValue>>): number {
  return Object.values(rewards).reduce((sum, { value, weight }) => sum + value * weight, 0);
}

export function isGroupReward(reward: NamedReward["reward"]): reward is GroupReward<never> {
  return typeof reward !== "function" && "scoreGroup" in reward;
}
function isJudgeReward(reward: NamedReward["reward"]): reward is JudgeReward<never> {
  return typeof reward !== "function" && "judge" in reward;
}
