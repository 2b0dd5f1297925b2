// Before and after a rollout in a list that was filtered, ordered or searched, so that the reader can go through what was found. A search is looked
// through from the rollout outwards; when its time is over, that side has no neighbour.
import type { Neighbours, RolloutLink } from "../app/api-types.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";
import { findIn, LineReader, needleOf, orderOf, type QueryLimits, type RolloutQuery } from "./rollout-query.ts";

export async function neighboursOf(
  folder: string,
  index: RolloutIndex,
  { step, id }: RolloutLink,
  query: Pick<RolloutQuery, "filter" | "sort" | "search">,
  { searchMs, now }: QueryLimits,
): Promise<Neighbours> {
  const sorted = orderOf(index, query);
  const own = (await index.step(step)).find((rollout) => rollout.id === id);
  const at = own === undefined ? -1 : sorted.indexOf(own);
  const total = sorted.length;
  if (at < 0) return { previous: null, next: null, position: null, total };
  const needle = needleOf(query.search);
  const lines = new LineReader(folder);
  const until = now() + searchMs;
  const towards = async (by: 1 | -1): Promise<RolloutLink | null> => {
    for (let place = at + by; ; place += by) {
      const rollout = sorted[place];
      if (rollout === undefined || now() > until) return null;
      if (needle === "" || findIn(await lines.read(rollout), needle) !== undefined) return linkOf(rollout);
    }
  };
  try {
    return { next: await towards(1), previous: await towards(-1), position: at + 1, total };
  } finally {
    await lines.close();
  }
}

function linkOf({ step, id }: IndexedRollout): RolloutLink {
  return { step, id };
}
