// Why a run stops that cannot learn: what fails, where and how often, or which environment gives no signal. The most frequent comes first.
import { HoneError, type Rollout } from "@hone/core";
import type { JudgedGroup } from "./collect.ts";
import { meanReward } from "./judge.ts";

/** Different failures that are shown. */
const mostShown = 5;

/** Not one rollout finished. */
export function nothingFinished(judged: readonly JudgedGroup[]): HoneError {
  const failed = judged.flatMap(({ group }) => [...group.failed, ...group.lost]);
  if (failed.length === 0) return nothingToLearn(judged);
  const lines = frequentFailures(failed);
  return new HoneError(`Every rollout fails: ${failed.length} of ${failed.length}.\n${lines.join("\n")}`, {
    code: "all-failed",
    hint: "Mend the first of these; the failed rollouts, with all they said, are in the run's rollouts folder. Then resume.",
  });
}

/** "  40 x search, at the model: connection refused (connection)". */
function frequentFailures(rollouts: readonly Rollout[]): string[] {
  const counts = new Map<string, number>();
  for (const { env, failure } of rollouts) {
    if (failure === undefined) continue;
    const what = `${env}, at the ${failure.boundary}: ${firstLine(failure.message)} (${failure.code})`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, mostShown).map(([what, count]) => `  ${count} x ${what}`);
  return sorted.length > mostShown ? [...shown, `  and ${sorted.length - mostShown} other failures`] : shown;
}

function firstLine(message: string): string {
  const line = message.split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}

/** Groups came, and were replaced again and again. */
export function nothingToLearn(judged: readonly JudgedGroup[]): HoneError {
  const counts = new Map<string, number>();
  for (const { group, verdict } of judged) {
    if (verdict === "trained") continue;
    const what = `${group.ticket.env}: ${reasons[verdict]}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} (${count} groups)`);
  const failures = frequentFailures(judged.flatMap(({ group }) => [...group.failed, ...group.lost]));
  return new HoneError([`Nothing to learn from: ${lines.join("; ")}.`, ...failures].join("\n"), {
    code: "no-signal",
    hint: hintFor(judged),
  });
}

const reasons = {
  no_signal: "all rewards of a group agree",
  stale: "groups are stale, older than max_off_policy_steps, when their batch is cut",
  failed: "too many rollouts of a group failed",
} as const;

function hintFor(judged: readonly JudgedGroup[]): string {
  const has = (verdict: JudgedGroup["verdict"]): number => judged.filter((one) => one.verdict === verdict).length;
  if (has("stale") > has("no_signal") + has("failed"))
    return "Allow older samples (max_off_policy_steps), collect less ahead (lead), or keep stale groups.";
  if (has("failed") > has("no_signal")) return "Look at the rollouts that failed.";
  return "Make the tasks easier or harder, or raise the temperature or group_size.";
}

/** A whole batch, and no sample of it moves the policy. Solved, or out of reach: the mean says which. */
export function withoutCredit(judged: readonly JudgedGroup[]): HoneError {
  const means = new Map<string, number[]>();
  for (const { group } of judged) {
    if (group.rollouts.length === 0) continue;
    const known = means.get(group.ticket.env);
    if (known === undefined) means.set(group.ticket.env, [meanReward(group.rollouts)]);
    else known.push(meanReward(group.rollouts));
  }
  const said = [...means].map(
    ([env, values]) => `${env} ${(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)}`,
  );
  return new HoneError(
    `Nothing to learn from a batch: within each group all rewards agree (mean reward: ${said.join(", ")}).`,
    {
      code: "no-signal",
      hint: "Near the top the tasks are solved; near the bottom they are out of reach. Change the tasks, the temperature or group_size, or set difficulty.filter.",
    },
  );
}
