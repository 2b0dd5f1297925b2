// Before and after a rollout in a list that was filtered, ordered or searched, so that the reader can go through what was found. A search is looked
// through from the rollout outwards; when its time is over, that side has no neighbour.
import type { Neighbours, RolloutLink } from "../app/rollout-types.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";
import { orderOf, type RolloutQuery } from "./rollout-query.ts";
import { needleOf, type ScanLimits, scanRollouts } from "./scan-rollouts.ts";

export async function neighboursOf(
  folder: string,
  index: RolloutIndex,
  { step, id }: RolloutLink,
  query: Pick<RolloutQuery, "filter" | "sort" | "search">,
  limits: ScanLimits,
): Promise<Neighbours> {
  const sorted = orderOf(index, query);
  const own = (await index.step(step)).find((rollout) => rollout.id === id);
  const at = own === undefined ? -1 : sorted.indexOf(own);
  const total = sorted.length;
  const isIndexed = index.isComplete;
  if (at < 0) return { previous: null, next: null, position: null, total, isIndexed };
  const needle = needleOf(query.search);
  const towards = async (by: 1 | -1): Promise<IndexedRollout | undefined> => {
    if (needle === "") return sorted[at + by];
    const { hits } = await scanRollouts(folder, sorted, { from: at + by, by, limit: 1, needle }, limits);
    return hits[0]?.rollout;
  };
  const [next, previous] = await Promise.all([towards(1), towards(-1)]);
  return { next: linkOf(next), previous: linkOf(previous), position: at + 1, total, isIndexed };
}

function linkOf(rollout: IndexedRollout | undefined): RolloutLink | null {
  return rollout === undefined ? null : { step: rollout.step, id: rollout.id };
}
