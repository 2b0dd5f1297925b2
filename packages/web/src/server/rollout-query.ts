// One page of a run's rollouts: filtered and sorted by the index, searched in the files. A search reads lines in order until the page is full or its
// time is over, and says where to go on, so that no request holds the server for long however large the run is.
import type { RolloutItem, RolloutPage, RolloutSort } from "../app/rollout-types.ts";
import { LineReader } from "./line-reader.ts";
import { lastReply } from "./rollout-facts.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";
import { needleOf, type ScanLimits, scanRollouts } from "./scan-rollouts.ts";

export interface RolloutQuery {
  readonly offset: number;
  readonly limit: number;
  readonly sort: RolloutSort;
  readonly filter: RolloutFilter;
  /** Text that was said; case does not matter. */
  readonly search: string;
}
export interface RolloutFilter {
  readonly env?: string;
  readonly step?: number;
  readonly stop?: string;
  readonly taskId?: string;
  readonly kind?: "failed" | "truncated" | "rewarded" | "unrewarded";
}

const excerptLength = 160;
/** Of a line that is read for its excerpt alone. */
const longestExcerptBytes = 1_000_000;
const filesAtOnce = 8;

export async function queryRollouts(
  folder: string,
  index: RolloutIndex,
  query: RolloutQuery,
  limits: ScanLimits,
): Promise<RolloutPage> {
  const sorted = orderOf(index, query);
  const needle = needleOf(query.search);
  const { items, next } =
    needle === ""
      ? await readPage(folder, sorted, query)
      : await searchPage(folder, sorted, { ...query, needle }, limits);
  return {
    items,
    next: next < sorted.length ? next : null,
    total: sorted.length,
    all: index.newestFirst().length,
    isIndexed: index.isComplete,
    environments: index.environments,
    stops: index.stops,
  };
}

interface Portion {
  readonly items: readonly RolloutItem[];
  readonly next: number;
}

/** With the end of each conversation. Files are read beside each other: in an order by reward every row lies in another one. */
async function readPage(
  folder: string,
  sorted: readonly IndexedRollout[],
  { offset, limit }: RolloutQuery,
): Promise<Portion> {
  const wanted = sorted.slice(offset, offset + limit);
  const excerpts = new Map<IndexedRollout, string>();
  const files = [...new Set(wanted.map(({ step }) => step))];
  const readFiles = async (): Promise<void> => {
    for (let step = files.pop(); step !== undefined; step = files.pop()) {
      const lines = new LineReader(folder);
      try {
        for (const rollout of wanted) {
          if (rollout.step !== step || rollout.bytes > longestExcerptBytes) continue;
          excerpts.set(
            rollout,
            lastReply(await lines.read(rollout))
              .trim()
              .slice(0, excerptLength),
          );
        }
      } finally {
        await lines.close();
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, readFiles));
  return { items: wanted.map((rollout) => toItem(rollout, excerpts.get(rollout) ?? "")), next: offset + wanted.length };
}

async function searchPage(
  folder: string,
  sorted: readonly IndexedRollout[],
  { offset, limit, needle }: RolloutQuery & { readonly needle: string },
  limits: ScanLimits,
): Promise<Portion> {
  const { hits, next } = await scanRollouts(folder, sorted, { from: offset, limit, needle }, limits);
  return { items: hits.map(({ rollout, excerpt }) => toItem(rollout, excerpt)), next };
}

/** Those that pass the filters, in the order that is asked for. */
export function orderOf(index: RolloutIndex, { filter, sort }: Pick<RolloutQuery, "filter" | "sort">) {
  return index.ordered(JSON.stringify([sort, filter]), () =>
    sortRollouts(
      index.newestFirst().filter((rollout) => passes(rollout, filter)),
      sort,
    ),
  );
}

export function toItem(rollout: IndexedRollout, excerpt?: string): RolloutItem {
  const { byte: _byte, bytes: _bytes, reward, ...rest } = rollout;
  return { ...rest, reward: Number.isNaN(reward) ? null : reward, ...(excerpt === undefined ? {} : { excerpt }) };
}

function passes(rollout: IndexedRollout, { env, step, stop, taskId, kind }: RolloutFilter): boolean {
  if (env !== undefined && rollout.env !== env) return false;
  if (step !== undefined && rollout.step !== step) return false;
  if (stop !== undefined && rollout.stop !== stop) return false;
  if (taskId !== undefined && rollout.taskId !== taskId) return false;
  if (kind === undefined) return true;
  switch (kind) {
    case "failed":
      return rollout.hasFailed;
    case "truncated":
      return rollout.isTruncated;
    case "rewarded":
      return rollout.reward > 0;
    case "unrewarded":
      return !(rollout.reward > 0);
  }
}

function sortRollouts(rollouts: IndexedRollout[], sort: RolloutSort): readonly IndexedRollout[] {
  switch (sort) {
    case "newest":
      return rollouts;
    case "oldest":
      return rollouts.toReversed();
    case "reward":
      return rollouts.sort((a, b) => last(a.reward) - last(b.reward));
    case "-reward":
      return rollouts.sort((a, b) => last(-a.reward) - last(-b.reward));
    case "-tokens":
      return rollouts.sort((a, b) => b.outputTokens - a.outputTokens);
    case "-duration":
      return rollouts.sort((a, b) => b.durationMs - a.durationMs);
  }
}

/** What was not scored comes after everything that was. */
function last(value: number): number {
  return Number.isNaN(value) ? Number.MAX_VALUE : value;
}
