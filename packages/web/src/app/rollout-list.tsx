// The rollouts of a run: filtered and sorted by the server, searched on disk, drawn only where they are seen.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { RolloutItem } from "./rollout-types.ts";
import { filterKeys, NoRollouts, RolloutCount, RolloutFilters } from "./rollout-filters.tsx";
import { RolloutHeads, RolloutRow } from "./rollout-row.tsx";
import { navigate, pathOf, useAddress } from "./router.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { isActive } from "./state-mark.tsx";
import { useKeys } from "./use-keys.ts";
import { useRollouts } from "./use-rollouts.ts";

const rowHeight = 30;

export function RolloutList({ run }: { readonly run: LiveRun }): ReactNode {
  const { query } = useAddress();
  const { kind, name, state } = run.detail;
  const asked = new URLSearchParams();
  for (const key of [...filterKeys, "sort"]) if (query.get(key)) asked.set(key, query.get(key) ?? "");
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
      <RolloutFilters list={list} input={search} />
      <RolloutCount list={list} />
      <div className={kind === "evals" ? "rollouts single" : "rollouts"}>
        <RolloutHeads kind={kind} />
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
              const place = { transform: `translateY(${start}px)` };
              return item === undefined ? (
                <div key={index} role="listitem" aria-label="Loading" className="line" style={place} />
              ) : (
                <div key={index} role="listitem" className="line" style={place}>
                  <RolloutRow kind={kind} item={item} to={linkOf(item)} isAt={index === at} />
                </div>
              );
            })}
          </div>
        </div>
        {list.count === 0 && <NoRollouts list={list} />}
      </div>
    </section>
  );
}
