// One page of a run's rollouts: filtered and sorted by the index, searched in the files. A search reads lines in order until the page is full or its
// time is over, and says where to go on, so that no request holds the server for long however large the run is.
import type { FileHandle } from "node:fs/promises";
import { rolloutPaths } from "@hone/store";
import type { RolloutItem, RolloutPage, RolloutSort } from "../app/api-types.ts";
import { openInside } from "./inside.ts";
import { lastReply, saidIn } from "./rollout-facts.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";

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

export interface QueryLimits {
  readonly searchMs: number;
  readonly now: () => number;
}

const excerptLength = 160;
/** Of a line that is read for its excerpt alone. */
const longestExcerptBytes = 1_000_000;
const windowBytes = 131_072;

export async function queryRollouts(
  folder: string,
  index: RolloutIndex,
  query: RolloutQuery,
  limits: QueryLimits,
): Promise<RolloutPage> {
  const all = index.newestFirst();
  const sorted = sortRollouts(
    all.filter((rollout) => passes(rollout, query.filter)),
    query.sort,
  );
  const lines = new LineReader(folder);
  const items: RolloutItem[] = [];
  const needle = query.search.trim().toLowerCase();
  const until = limits.now() + limits.searchMs;
  let at = query.offset;
  try {
    for (; at < sorted.length && items.length < query.limit; at++) {
      const rollout = sorted[at];
      if (rollout === undefined) break;
      if (needle !== "") {
        if (items.length > 0 || at > query.offset) if (limits.now() > until) break;
        const excerpt = findIn(await lines.read(rollout), needle);
        if (excerpt !== undefined) items.push(toItem(rollout, excerpt));
      } else {
        const text = rollout.bytes <= longestExcerptBytes ? lastReply(await lines.read(rollout)) : "";
        items.push(toItem(rollout, text.trim().slice(0, excerptLength)));
      }
    }
  } finally {
    await lines.close();
  }
  return {
    items,
    next: at < sorted.length ? at : null,
    total: sorted.length,
    all: all.length,
    isIndexed: index.isComplete,
    environments: index.environments,
    stops: index.stops,
  };
}

export function toItem(rollout: IndexedRollout, excerpt?: string): RolloutItem {
  const { byte: _byte, bytes: _bytes, reward, ...rest } = rollout;
  return { ...rest, reward: Number.isNaN(reward) ? null : reward, ...(excerpt === undefined ? {} : { excerpt }) };
}

/** Lines of rollouts by their place. The file read last stays open, with a window of it: neighbours lie in the same file, before or after. */
export class LineReader {
  readonly #folder: string;
  #step = -1;
  #file: FileHandle | undefined;
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read({ step, byte, bytes }: IndexedRollout): Promise<string> {
    if (step !== this.#step) {
      await this.close();
      this.#file = await openInside(this.#folder, rolloutPaths(this.#folder, step).lines);
      this.#step = step;
    }
    if (byte < this.#windowAt || byte + bytes > this.#windowAt + this.#window.length) await this.#load(byte, bytes);
    const start = byte - this.#windowAt;
    return this.#window.toString("utf8", start, start + bytes);
  }

  async #load(byte: number, bytes: number): Promise<void> {
    this.#windowAt = Math.max(0, byte - Math.max(0, (windowBytes - bytes) >> 1));
    const buffer = Buffer.allocUnsafe(Math.max(bytes, windowBytes));
    const read = await this.#file?.read(buffer, 0, buffer.length, this.#windowAt);
    this.#window = buffer.subarray(0, read?.bytesRead ?? 0);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#step = -1;
    this.#window = Buffer.alloc(0);
  }
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

/** The text around the first hit in what was said. The raw line is asked first: it is cheap, and most lines have none. */
function findIn(line: string, needle: string): string | undefined {
  const escaped = JSON.stringify(needle).slice(1, -1);
  if (!line.toLowerCase().includes(escaped)) return undefined;
  for (const said of saidIn(line)) {
    const at = said.toLowerCase().indexOf(needle);
    if (at < 0) continue;
    const start = Math.max(0, at - 40);
    return (start > 0 ? "…" : "") + said.slice(start, start + excerptLength);
  }
  return undefined;
}
