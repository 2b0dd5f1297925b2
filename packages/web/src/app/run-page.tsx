// One run, or one evaluation: what it is, what it does now, and its tabs in the order of the flow. It is loaded once; then the feed tells what changes.
import { type ReactNode, useMemo, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RunDetail, RunKind } from "./api-types.ts";
import { withFeed } from "./live-detail.ts";
import { useLoadAhead } from "./load-ahead.ts";
import { Link, pathOf, setQuery, useAddress } from "./router.tsx";
import { RunHead } from "./run-head.tsx";
import { firstTab, TabPanel, tabsOf, tabTitles } from "./run-tabs.tsx";
import { SeriesLoader } from "./series-loader.ts";
import { useFeed } from "./use-feed.ts";
import { useKeys } from "./use-keys.ts";

/** Asked again now and then although there is the feed: a page may be open for days. */
const refreshMs = 30_000;
const lostMs = 3000;

export function RunPage({ kind, name }: { readonly kind: RunKind; readonly name: string }): ReactNode {
  const path = pathOf(kind, name);
  const { query } = useAddress();
  const [version, setVersion] = useState(0);
  const [isLost, setLost] = useState(false);
  const { value, error } = useAnswer<RunDetail>(path, { refreshMs: isLost ? lostMs : refreshMs, version });
  // The feed goes on from the first answer; later ones only say what the feed does not.
  const [cursor, setCursor] = useState<string>();
  if (cursor === undefined && value !== undefined) setCursor(value.cursor);
  const feed = useFeed(path, cursor);
  if (feed.version !== version) setVersion(feed.version);
  const isFeedLost = feed.connection === "lost";
  if (isFeedLost !== isLost) setLost(isFeedLost);

  const loader = useMemo(() => new SeriesLoader(path), [path, version]);
  const detail = useMemo(() => (value === undefined ? undefined : withFeed(value, feed)), [value, feed]);
  const run = useMemo(
    () => (detail === undefined ? undefined : { path, detail, loader, rows: feed.rows, version: feed.version }),
    [detail, path, loader, feed],
  );
  const tabs = useMemo(() => (value === undefined ? [] : tabsOf(value)), [value?.kind, value?.isSft]);
  const keys = useMemo(
    () => Object.fromEntries(tabs.map((one, index) => [String(index + 1), () => setQuery({ tab: one })])),
    [tabs],
  );
  useKeys(keys);
  useLoadAhead(run);
  if (run === undefined) {
    return error === undefined ? (
      <p className="notice">Loading</p>
    ) : (
      <p className="notice bad">
        {error} <Link to={`/${kind}`}>{kind === "runs" ? "All runs" : "All evaluations"}</Link>
      </p>
    );
  }
  const asked = query.get("tab");
  const tab = tabs.find((one) => one === asked) ?? firstTab(run.detail);
  return (
    <>
      <RunHead run={run} isLost={isLost || error !== undefined} />
      <div className="tabs" role="tablist" aria-label="What is shown of this run">
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="panel"
            tabIndex={one === tab ? 0 : -1}
            onClick={() => setQuery({ tab: one })}
            onKeyDown={(event) => {
              const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              const to = move === undefined ? undefined : tabs[(tabs.indexOf(one) + move + tabs.length) % tabs.length];
              if (to === undefined) return;
              setQuery({ tab: to });
              document.getElementById(`tab-${to}`)?.focus();
            }}
          >
            {tabTitles[one]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="panel">
        <TabPanel tab={tab} run={run} />
      </div>
    </>
  );
}
