// One rollout for the reader: what was said, its task, its group and its neighbours, without tokens and without the ends of very long texts.
import type { Json, JsonObject } from "@hone/core";
import type { RolloutDetail, RolloutItem, RolloutLink } from "../app/rollout-types.ts";
import { cutTexts, textAt } from "./cut-texts.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";
import { findRollout, type FoundRollout, readLine } from "./rollout-line.ts";
import { toItem } from "./rollout-query.ts";

export interface RolloutPlace {
  readonly index: RolloutIndex;
  readonly step: number;
  readonly id: string;
}
export interface RolloutContext {
  readonly task: (env: string, taskId: string) => Json;
  readonly gold: (env: string, taskId: string) => readonly string[] | null;
  readonly outcome: (group: string) => string | undefined;
}

export async function readRollout(
  folder: string,
  { index, step, id }: RolloutPlace,
  context: RolloutContext,
): Promise<RolloutDetail> {
  const place = await findRollout(index, step, id);
  const { found } = place;
  const { value, cuts } = cutTexts(await partsOf(folder, found, context));
  return {
    ...value,
    item: toItem(found),
    outcome: context.outcome(found.group) ?? null,
    group: groupOf(place),
    previous: linkTo(place.step[place.at - 1] ?? (await atEdge(index, found.step, "before"))),
    next: linkTo(place.step[place.at + 1] ?? (await atEdge(index, found.step, "after"))),
    cuts,
  };
}

/** The whole of a text that was cut. */
export async function readText(
  folder: string,
  { index, step, id }: RolloutPlace,
  place: string,
  context: RolloutContext,
): Promise<string | undefined> {
  const { found } = await findRollout(index, step, id);
  return textAt(await partsOf(folder, found, context), place);
}

async function partsOf(folder: string, found: IndexedRollout, { task, gold }: RolloutContext) {
  const { rollout } = await readLine(folder, found, "none");
  const { envVersion, attempt, seed, agents, nodes, calls, stop, timing, info } = rollout;
  return {
    envVersion,
    attempt,
    seed,
    agents,
    nodes,
    calls,
    state: (rollout.state ?? null) as Json,
    stop,
    failure: rollout.failure ?? null,
    timing,
    info: info satisfies JsonObject,
    task: task(found.env, found.taskId),
    gold: gold(found.env, found.taskId),
  };
}

function groupOf({ step, found }: FoundRollout): readonly RolloutItem[] {
  const own = step.filter(({ group }) => group === found.group).map((rollout) => toItem(rollout));
  return own.sort((a, b) => (b.reward ?? -Infinity) - (a.reward ?? -Infinity) || a.index - b.index);
}

/** Where the file of a step ends, the next one that has rollouts goes on. */
async function atEdge(
  index: RolloutIndex,
  step: number,
  side: "before" | "after",
): Promise<IndexedRollout | undefined> {
  const steps = await index.steps();
  const others = side === "before" ? steps.filter((one) => one < step).toReversed() : steps.filter((one) => one > step);
  for (const other of others) {
    const rollout = (await index.step(other)).at(side === "before" ? -1 : 0);
    if (rollout !== undefined) return rollout;
  }
  return undefined;
}

function linkTo(rollout: IndexedRollout | undefined): RolloutLink | null {
  return rollout === undefined ? null : { step: rollout.step, id: rollout.id };
}
