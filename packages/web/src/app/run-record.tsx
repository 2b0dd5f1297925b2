// What a run was given and what happened to it: its configuration, as resolved, and its events.
import type { ReactNode } from "react";
import { formatTime } from "./format.ts";
import type { LiveRun } from "./run-tabs.tsx";
import { Said } from "./said.tsx";

export function RunRecord({ run: { detail } }: { readonly run: LiveRun }): ReactNode {
  return (
    <div className="two">
      <section>
        <h2>Configuration</h2>
        <Said text={detail.config} className="code box" />
      </section>
      <section>
        <h2>Events</h2>
        <ol className="events">
          {detail.events.toReversed().map(({ type, atMs, detail: about }, index) => (
            <li key={index}>
              <time className="number faint" dateTime={new Date(atMs).toISOString()}>
                {formatTime(atMs)}
              </time>
              <span className="type">{type}</span>
              <Said text={plain(about)} className="inline faint" />
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function plain(detail: unknown): string {
  if (typeof detail === "string") return detail;
  if (typeof detail !== "object" || detail === null) return JSON.stringify(detail);
  return Object.entries(detail)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
