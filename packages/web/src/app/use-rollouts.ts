// Pages of rollouts, loaded as they are scrolled to. A search goes on by itself until its page is full: the server answers in short portions.
import { useEffect, useMemo, useRef, useState } from "react";
import { ask } from "./api.ts";
import type { RolloutItem, RolloutPage } from "./api-types.ts";

export interface RolloutPages extends Omit<RolloutPage, "items" | "next"> {
  readonly items: readonly RolloutItem[];
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly isSearching: boolean;
  /** How far a search has come. */
  readonly searched: number;
  readonly more: () => void;
}

type Loaded = Omit<RolloutPages, "more"> & { readonly next: number | null };
const nothing: Loaded = {
  items: [],
  total: 0,
  all: 0,
  isIndexed: true,
  environments: [],
  stops: [],
  error: undefined,
  isLoading: true,
  isSearching: false,
  searched: 0,
  next: 0,
};
const pageSize = 100;
const refreshMs = 2500;

export function useRollouts(path: string, query: string, isLive: boolean): RolloutPages {
  const [loaded, setLoaded] = useState(nothing);
  const state = useRef(loaded);
  state.current = loaded;
  const busy = useRef<AbortController>(undefined);

  const load = useMemo(() => {
    return async (offset: number, isFresh: boolean): Promise<void> => {
      busy.current?.abort();
      const stop = new AbortController();
      busy.current = stop;
      const separator = query === "" ? "" : "&";
      try {
        const wanted = isFresh ? Math.max(pageSize, Math.min(500, state.current.items.length)) : pageSize;
        const page = await ask<RolloutPage>(
          `${path}/rollouts?${query}${separator}offset=${offset}&limit=${wanted}`,
          stop.signal,
        );
        setLoaded((last) => merge(isFresh ? nothing : last, page));
      } catch (error) {
        if (!stop.signal.aborted) setLoaded((last) => ({ ...last, isLoading: false, error: (error as Error).message }));
      } finally {
        if (busy.current === stop) busy.current = undefined;
      }
    };
  }, [path, query]);

  useEffect(() => {
    setLoaded(nothing);
    void load(0, true);
    return () => busy.current?.abort();
  }, [load]);

  const isSearch = query.includes("search=");
  const { isIndexed, next, items } = loaded;
  useEffect(() => {
    if (!(isSearch && next !== null && next > 0 && items.length < pageSize)) return;
    if (busy.current === undefined) void load(next, false);
  }, [isSearch, next, items.length, load]);
  useEffect(() => {
    if ((!isLive && isIndexed) || isSearch) return undefined;
    // Whoever has scrolled down reads; the list is not pulled from under them.
    const timer = setInterval(() => {
      if (!document.hidden && busy.current === undefined && state.current.items.length <= 500) void load(0, true);
    }, refreshMs);
    return () => clearInterval(timer);
  }, [isLive, isIndexed, isSearch, load]);

  return useMemo(
    () => ({
      ...loaded,
      isSearching: isSearch && loaded.next !== null && loaded.items.length < pageSize,
      more: () => {
        const { next: to, isLoading } = state.current;
        if (to !== null && to > 0 && !isLoading && busy.current === undefined) void load(to, false);
      },
    }),
    [loaded, isSearch, load],
  );
}

/** New rollouts push older ones to the next page: what comes again is dropped. */
function merge(last: Loaded, page: RolloutPage): Loaded {
  const known = new Set(last.items.map(({ step, id }) => `${step} ${id}`));
  const fresh = page.items.filter(({ step, id }) => !known.has(`${step} ${id}`));
  return {
    ...page,
    items: [...last.items, ...fresh],
    error: undefined,
    isLoading: false,
    isSearching: false,
    searched: page.next ?? page.total,
  };
}
