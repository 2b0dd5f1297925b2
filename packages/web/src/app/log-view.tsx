// The events of a run as they come, by level and by what they say. The newest are on top and stay there; older ones are read from the file on demand.
import { type ReactNode, useEffect, useState } from "react";
import type { Json } from "@hone/core";
import type { LogItem, LogLevel } from "./api-types.ts";
import { formatCount, formatTime } from "./format.ts";
import { setQuery, useAddress } from "./router.tsx";
import { Said } from "./said.tsx";
import { useLog } from "./use-log.ts";

const levels: readonly LogLevel[] = ["info", "warning", "error"];
const titles: Readonly<Record<LogLevel, string>> = { info: "All", warning: "Warnings", error: "Errors" };
const liveMs = 1500;

interface LogProps {
  /** Of the run, in the API. */
  readonly path: string;
  readonly isLive: boolean;
}

export function LogView({ path, isLive }: LogProps): ReactNode {
  const { query } = useAddress();
  const level = levels.find((one) => one === query.get("level")) ?? "info";
  const [typed, setTyped] = useState(query.get("log") ?? "");
  const search = useRested(typed);
  const asked = `${path}/log?${new URLSearchParams({ level, search }).toString()}`;
  const { items, error, isLoading, hasMore, more } = useLog(asked, isLive ? liveMs : undefined);
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">Log</h2>
      <div className="controls">
        <input
          type="search"
          value={typed}
          placeholder="Search the log"
          aria-label="Search the log"
          onChange={({ target }) => {
            setTyped(target.value);
            setQuery({ log: target.value });
          }}
        />
        <div className="segments" role="group" aria-label="Level">
          {levels.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === level}
              onClick={() => setQuery({ level: one === "info" ? "" : one })}
            >
              {titles[one]}
            </button>
          ))}
        </div>
        {isLive && <span className="state running">live</span>}
      </div>
      {error !== undefined && <p className="notice bad">{error}</p>}
      {!isLoading && items.length === 0 && (
        <p className="notice">
          {search === "" && level === "info" ? "Nothing has happened yet." : hasMore ? "Searching" : "Nothing matches."}
        </p>
      )}
      <ol className="log" aria-label="Events, newest first">
        {items.map((item) => (
          <Entry key={item.byte} item={item} />
        ))}
      </ol>
      {hasMore && (
        <button type="button" className="more" onClick={more}>
          Show older, {formatCount(items.length)} are shown
        </button>
      )}
    </section>
  );
}

function Entry({ item: { type, atMs, level, detail } }: { readonly item: LogItem }): ReactNode {
  return (
    <li className={level}>
      <time className="number faint" dateTime={new Date(atMs).toISOString()}>
        {formatTime(atMs)}
      </time>
      <span className="type">
        {level !== "info" && <span className="unheard">{level}: </span>}
        {type}
      </span>
      <Detail detail={detail} />
    </li>
  );
}

/** An object's keys step back behind what they say. */
function Detail({ detail }: { readonly detail: Json }): ReactNode {
  if (typeof detail !== "object" || detail === null || Array.isArray(detail)) {
    return <Said text={plain(detail)} className="inline" />;
  }
  return (
    <span className="detail">
      {Object.entries(detail as Readonly<Record<string, Json>>).map(([key, value]) => (
        <span key={key}>
          <span className="faint">{key}</span> <Said text={plain(value)} className="inline" />
        </span>
      ))}
    </span>
  );
}

function plain(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What was typed, after a short rest. */
function useRested(typed: string): string {
  const [rested, setRested] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  return rested;
}
