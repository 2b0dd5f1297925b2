// The rollouts of a list, loaded where they are looked at: any part of a hundred thousand is one page away, and pages that were left are forgotten.
// A search has no places before it is made: it goes on by itself from the beginning until a page is full, in the short portions the server answers in,
// and shows what it has found so far. It can be stopped, and go on.
import { useEffect, useMemo, useState } from "react";
import { ask } from "./api.ts";
import type { RolloutItem, RolloutPage } from "./rollout-types.ts";

export interface RolloutPages extends Omit<RolloutPage, "items" | "next"> {
  /** Rows of the list: of those that pass the filters, or of those found so far. */
  readonly count: number;
  /** Undefined while it is being loaded. */
  readonly itemAt: (index: number) => RolloutItem | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  /** Undefined where nothing is searched for. */
  readonly search: SearchState | undefined;
  /** What is seen now; it is loaded. */
  readonly want: (from: number, to: number) => void;
}

export interface SearchState {
  /** How many of those that pass the filters were looked through. */
  readonly searched: number;
  /** "paused": stopped by hand, or enough was found for now. */
  readonly state: "searching" | "paused" | "over";
  readonly stop: () => void;
  readonly goOn: () => void;
}

interface Loaded extends Omit<RolloutPage, "items"> {
  readonly pages: ReadonlyMap<number, readonly RolloutItem[]>;
  readonly found: readonly RolloutItem[];
  /** No further part of a search is asked for. */
  readonly isPaused: boolean;
  readonly error: string | undefined;
  readonly isLoading: boolean;
}

const nothing: Loaded = {
  pages: new Map(),
  found: [],
  isPaused: false,
  next: 0,
  total: 0,
  all: 0,
  isIndexed: true,
  environments: [],
  stops: [],
  error: undefined,
  isLoading: true,
};
const pageSize = 100;
const mostPages = 40;
const refreshMs = 2500;
/** While older files are being read the number of all is not known yet. */
const readingMs = 500;

export function useRollouts(path: string, query: string, isLive: boolean): RolloutPages {
  const [loaded, setLoaded] = useState(nothing);
  const isSearch = new URLSearchParams(query).has("search");
  const loader = useMemo(() => new Loader(path, query, isSearch, setLoaded), [path, query, isSearch]);
  useEffect(() => {
    loader.start();
    return () => loader.stop();
  }, [loader]);
  const { isIndexed } = loaded;
  useEffect(() => {
    if ((!isLive && isIndexed) || isSearch) return undefined;
    const timer = setInterval(() => loader.refresh(), isIndexed ? refreshMs : readingMs);
    return () => clearInterval(timer);
  }, [isLive, isIndexed, isSearch, loader]);
  return useMemo(() => {
    const { pages, found, isPaused, next, ...rest } = loaded;
    const isOver = next === null || loaded.error !== undefined;
    const search: SearchState = {
      searched: next ?? loaded.total,
      state: isOver ? "over" : isPaused ? "paused" : "searching",
      stop: () => loader.pause(),
      goOn: () => loader.goOn(),
    };
    return {
      ...rest,
      count: isSearch ? found.length : loaded.total,
      itemAt: (index) => (isSearch ? found[index] : pages.get(Math.floor(index / pageSize))?.[index % pageSize]),
      search: isSearch ? search : undefined,
      want: (from, to) => loader.want(from, to),
    };
  }, [loaded, isSearch, loader]);
}

/** One question at a time; what is asked next depends on what is seen when it is answered. */
class Loader {
  readonly #path: string;
  readonly #query: string;
  readonly #isSearch: boolean;
  readonly #show: (loaded: Loaded) => void;
  #loaded = nothing;
  #seen = { from: 0, to: 0 };
  /** A search rests when it has found so many. */
  #enough = pageSize;
  #busy: AbortController | undefined;

  constructor(path: string, query: string, isSearch: boolean, show: (loaded: Loaded) => void) {
    this.#path = path;
    this.#query = query;
    this.#isSearch = isSearch;
    this.#show = show;
  }

  start(): void {
    this.#set(nothing);
    void this.#load(0);
  }

  stop(): void {
    this.#busy?.abort();
    this.#busy = undefined;
  }

  pause(): void {
    this.stop();
    this.#set({ ...this.#loaded, isPaused: true, isLoading: false });
  }

  goOn(): void {
    this.#enough = this.#loaded.found.length + pageSize;
    this.#set({ ...this.#loaded, isPaused: false });
    if (this.#busy === undefined) void this.#next();
  }

  want(from: number, to: number): void {
    this.#seen = { from, to };
    if (this.#busy !== undefined || this.#loaded.isLoading) return;
    // Whoever has read nearly all that was found wants more; a search that was stopped by hand has found less, and waits to be asked.
    const isRead = this.#loaded.found.length >= this.#enough && to + pageSize / 2 >= this.#enough;
    if (this.#isSearch && isRead && this.#loaded.next !== null) this.goOn();
    else void this.#next();
  }

  /** Whoever has scrolled down reads: the list is not pulled from under them. */
  refresh(): void {
    if (!document.hidden && this.#busy === undefined && this.#seen.from < 5) void this.#load(0);
  }

  #set(loaded: Loaded): void {
    this.#loaded = loaded;
    this.#show(loaded);
  }

  #next(): Promise<void> | undefined {
    return this.#isSearch ? this.#searchOn() : this.#nextPage();
  }

  #searchOn(): Promise<void> | undefined {
    const { found, next, isPaused } = this.#loaded;
    if (next === null || isPaused) return undefined;
    if (found.length < this.#enough) return this.#load(next);
    this.#set({ ...this.#loaded, isPaused: true });
    return undefined;
  }

  #nextPage(): Promise<void> | undefined {
    const { pages, total } = this.#loaded;
    const { from, to } = this.#seen;
    for (let page = Math.floor(from / pageSize); page * pageSize <= Math.min(to, total - 1); page++) {
      if (!pages.has(page)) return this.#load(page * pageSize);
    }
    return undefined;
  }

  async #load(offset: number): Promise<void> {
    const stop = new AbortController();
    this.#busy?.abort();
    this.#busy = stop;
    try {
      const separator = this.#query === "" ? "" : "&";
      const asked = `${this.#path}/rollouts?${this.#query}${separator}offset=${offset}&limit=${pageSize}`;
      const page = await ask<RolloutPage>(asked, stop.signal);
      if (stop.signal.aborted) return;
      this.#busy = undefined;
      this.#set(this.#isSearch ? addFound(this.#loaded, page) : addPage(this.#loaded, page, offset / pageSize));
      void this.#next();
    } catch (error) {
      if (stop.signal.aborted) return;
      this.#busy = undefined;
      this.#set({ ...this.#loaded, isLoading: false, error: (error as Error).message });
    }
  }
}

/** A run that goes on pushes what was found already down the list: it comes again, and is dropped. */
function addFound(last: Loaded, { items, ...page }: RolloutPage): Loaded {
  const known = new Set(last.found.map(({ step, id }) => `${step} ${id}`));
  const fresh = items.filter(({ step, id }) => !known.has(`${step} ${id}`));
  return { ...last, ...page, found: [...last.found, ...fresh], error: undefined, isLoading: false };
}

/** When the list has grown, every other page has moved and is asked for again where it is looked at. */
function addPage(last: Loaded, { items, ...page }: RolloutPage, at: number): Loaded {
  const kept = page.total === last.total ? [...last.pages].filter(([known]) => known !== at) : [];
  const pages = new Map([...kept, [at, items] as const].slice(-mostPages));
  return { ...last, ...page, pages, error: undefined, isLoading: false };
}
