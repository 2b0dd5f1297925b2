// The rollouts of a run: filtered and sorted by the server, searched on disk, drawn only where they are seen.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { RolloutItem } from "./api-types.ts";
import { formatCount, formatDuration, formatNumber } from "./format.ts";
import { Link, navigate, pathOf, setQuery, useAddress } from "./router.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { Excerpt } from "./said.tsx";
import { isActive } from "./state-mark.tsx";
import { useKeys } from "./use-keys.ts";
import { useRollouts } from "./use-rollouts.ts";

const filters = ["search", "env", "stop", "kind", "task", "step", "sort"] as const;
const rowHeight = 30;

export function RolloutList({ run }: { readonly run: LiveRun }): ReactNode {
  const { query } = useAddress();
  const { kind, name, state } = run.detail;
  const asked = new URLSearchParams();
  for (const key of filters) if (query.get(key)) asked.set(key, query.get(key) ?? "");
  const list = useRollouts(run.path, asked.toString(), isActive(state));
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [at, setAt] = useState(-1);
  const virtual = useVirtualizer({
    count: list.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const rows = virtual.getVirtualItems();
  const [firstSeen, lastSeen] = [rows.at(0)?.index ?? 0, rows.at(-1)?.index ?? 0];
  useEffect(() => list.want(firstSeen, lastSeen), [firstSeen, lastSeen, list]);

  // The reader goes through the list that it was opened from.
  const own = new URLSearchParams({ in: asked.toString() || "sort=newest" }).toString();
  const linkOf = (item: RolloutItem): string => `${pathOf(kind, name, "rollouts", item.step, item.id)}?${own}`;
  const move = (by: number): void => {
    const to = Math.min(list.count - 1, Math.max(0, at + by));
    setAt(to);
    virtual.scrollToIndex(to);
  };
  const open = list.itemAt(at);
  useKeys(
    useMemo(
      () => ({
        "/": () => search.current?.focus(),
        j: () => move(1),
        k: () => move(-1),
        ...(open === undefined ? {} : { Enter: () => navigate(linkOf(open)) }),
      }),
      [at, list.count, open, own],
    ),
  );

  return (
    <section aria-label="Rollouts">
      <div className="controls">
        <SearchBox input={search} initial={query.get("search") ?? ""} />
        <Choice name="env" label="Environment" options={list.environments} value={query.get("env")} />
        <Choice name="stop" label="Stopped by" options={list.stops} value={query.get("stop")} />
        <Choice
          name="kind"
          label="Kind"
          options={["failed", "truncated", "rewarded", "unrewarded"]}
          value={query.get("kind")}
        />
        <Choice name="sort" label="Order" options={sorts} titles={sortTitles} value={query.get("sort") ?? "newest"} />
        {(["task", "step"] as const).map((key) =>
          query.get(key) ? (
            <button key={key} type="button" className="chip" onClick={() => setQuery({ [key]: "" })}>
              {key} {query.get(key)} <span aria-hidden="true">×</span>
              <span className="unheard">, remove this filter</span>
            </button>
          ) : null,
        )}
      </div>
      <p className="count faint" role="status">
        {list.error ?? countText(list, query.get("search") ?? "")}
      </p>
      <div className={kind === "evals" ? "rollouts single" : "rollouts"}>
        <div className="row title" aria-hidden="true">
          <span className="number">{kind === "evals" ? "#" : "step"}</span>
          <span className="wide">task</span>
          <span className="env wide">environment</span>
          <span className="number">reward</span>
          <span>stop</span>
          <span className="number turns">turns</span>
          <span className="number turns">tokens</span>
          <span className="number turns">time</span>
          <span>last reply</span>
        </div>
        <div
          className="scroller"
          ref={scroller}
          role="list"
          tabIndex={0}
          aria-label="Rollouts, newest first unless ordered otherwise"
        >
          <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
            {rows.map(({ index, start }) => {
              const item = list.itemAt(index);
              return item === undefined ? (
                <div
                  key={index}
                  role="listitem"
                  aria-label="Loading"
                  className="line"
                  style={{ transform: `translateY(${start}px)` }}
                />
              ) : (
                <div key={index} role="listitem" className="line" style={{ transform: `translateY(${start}px)` }}>
                  <Link to={linkOf(item)} className={index === at ? "row at" : "row"}>
                    <span className="number">
                      <span className="unheard">{kind === "evals" ? "rollout " : "step "}</span>
                      {kind === "evals" ? item.index : item.step}
                    </span>
                    <span className="clip wide">
                      <Excerpt text={item.taskId} />
                    </span>
                    <span className="clip env wide">{item.env}</span>
                    <span className="number strong">
                      <span className="unheard">reward </span>
                      {formatNumber(item.reward)}
                    </span>
                    <span className={item.hasFailed ? "clip bad" : "clip"}>
                      {item.stop}
                      {item.isTruncated && !item.stop.startsWith("limit") ? ", cut" : ""}
                    </span>
                    <span className="number turns">
                      {item.turns}
                      <span className="unheard"> turns</span>
                    </span>
                    <span className="number turns">
                      {formatCount(item.outputTokens)}
                      <span className="unheard"> tokens</span>
                    </span>
                    <span className="number turns">{formatDuration(item.durationMs)}</span>
                    <span className="clip faint mono">
                      <Excerpt text={item.excerpt ?? ""} />
                    </span>
                  </Link>
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </section>
  );
}

const sorts = ["newest", "oldest", "-reward", "reward", "-tokens", "-duration"];
const sortTitles: Readonly<Record<string, string>> = {
  newest: "newest first",
  oldest: "oldest first",
  "-reward": "highest reward",
  reward: "lowest reward",
  "-tokens": "most tokens",
  "-duration": "longest",
};

function countText(list: ReturnType<typeof useRollouts>, search: string): string {
  if (list.isLoading && list.count === 0) return "Loading";
  const reading = list.isIndexed ? "" : ", older ones are still being read";
  if (search !== "") {
    const found = `${formatCount(list.count)} found`;
    return list.isSearching
      ? `${found}, searched ${formatCount(list.searched)} of ${formatCount(list.total)}`
      : found + reading;
  }
  const of = list.total === list.all ? "" : ` of ${formatCount(list.all)}`;
  return `${formatCount(list.total)}${of} rollouts${reading}`;
}

interface SearchProps {
  readonly input: React.RefObject<HTMLInputElement | null>;
  readonly initial: string;
}

/** Typing is searched for after a short rest. */
function SearchBox({ input, initial }: SearchProps): ReactNode {
  const [typed, setTyped] = useState(initial);
  useEffect(() => {
    if (typed === initial) return undefined;
    const timer = setTimeout(() => setQuery({ search: typed }), 250);
    return () => clearTimeout(timer);
  }, [typed, initial]);
  return (
    <input
      ref={input}
      type="search"
      value={typed}
      placeholder="Search what was said"
      aria-label="Search what was said"
      aria-keyshortcuts="/"
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly titles?: Readonly<Record<string, string>>;
  readonly value: string | null;
}

function Choice({ name, label, options, titles = {}, value }: ChoiceProps): ReactNode {
  return (
    <label className="choice">
      <span className="unheard">{label}</span>
      <select
        value={value ?? ""}
        onChange={({ target }) => setQuery({ [name]: target.value === "newest" ? "" : target.value })}
      >
        {name !== "sort" && <option value="">{label}: any</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {titles[option] ?? option}
          </option>
        ))}
      </select>
    </label>
  );
}
