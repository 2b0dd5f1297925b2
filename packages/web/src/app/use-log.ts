// Lines of a run's log as they come: the newest are asked for again and again, older ones on demand, and what was read is kept. A search that the
// server has not finished goes on by itself.
import { useEffect, useState } from "react";
import { ask, useAnswer } from "./api.ts";
import type { LogItem, LogPage } from "./api-types.ts";

export interface Log {
  /** Newest first. */
  readonly items: readonly LogItem[];
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly more: () => void;
}

interface Kept {
  readonly asked: string;
  readonly items: ReadonlyMap<number, LogItem>;
  readonly next: number | null;
}

/** A search goes on until it has found so many. */
const enough = 50;
/** A page may be open for days: older lines than these are read again when they are asked for. */
const mostKept = 2000;

export function useLog(asked: string, refreshMs: number | undefined): Log {
  const { value, error } = useAnswer<LogPage>(asked, { refreshMs });
  const [kept, setKept] = useState<Kept>();
  useEffect(() => {
    if (value !== undefined) setKept((last) => withNewest(last?.asked === asked ? last : undefined, asked, value));
  }, [asked, value]);
  const own = kept?.asked === asked ? kept : undefined;
  const next = own?.next ?? null;
  const more = (): void => {
    if (next === null) return;
    ask<LogPage>(`${asked}&before=${next}`).then(
      (page) => setKept((last) => (last?.asked === asked ? withOlder(last, page) : last)),
      () => undefined,
    );
  };
  const isShort = own !== undefined && next !== null && own.items.size < enough;
  useEffect(() => {
    if (isShort) more();
  }, [isShort, next]);
  return {
    items: [...(own?.items.values() ?? [])].sort((a, b) => b.byte - a.byte),
    error,
    isLoading: own === undefined && error === undefined,
    hasMore: next !== null,
    more,
  };
}

function withNewest(last: Kept | undefined, asked: string, { items, next }: LogPage): Kept {
  const fresh = items.map((item) => [item.byte, item] as const);
  const newest = Math.max(-1, ...(last?.items.keys() ?? []));
  // More has come than fits into one answer: what was kept would have a gap before it.
  const hasGap = next !== null && next > newest;
  if (last === undefined || hasGap) return { asked, items: new Map(fresh), next };
  return shortened({ ...last, items: new Map([...last.items, ...fresh]) });
}

function shortened(kept: Kept): Kept {
  if (kept.items.size <= mostKept) return kept;
  const newest = [...kept.items].sort(([a], [b]) => b - a).slice(0, mostKept);
  return { ...kept, items: new Map(newest), next: newest.at(-1)?.[0] ?? null };
}

function withOlder(last: Kept, { items, next }: LogPage): Kept {
  return { ...last, items: new Map([...last.items, ...items.map((item) => [item.byte, item] as const)]), next };
}
