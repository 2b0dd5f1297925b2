// What a run does at this moment: a bar with the time it has taken and still takes, or why it does not go on, and what next. By itself, because it changes
// with every second and nothing else on the page does.
import { type ReactNode, useEffect, useState } from "react";
import type { FileProblem, RunDetail } from "./api-types.ts";
import { Command } from "./copy-button.tsx";
import { formatCount, formatPercent, formatSpan } from "./format.ts";
import { setQuery } from "./router.tsx";
import { resumeCommand } from "./run-commands.ts";
import { progressOf } from "./run-progress.ts";
import { Excerpt } from "./said.tsx";
import { isActive } from "./state-mark.tsx";

const tickMs = 1000;

export function RunStatus({ detail }: { readonly detail: RunDetail }): ReactNode {
  return (
    <>
      {isActive(detail.state) ? <ProgressLine detail={detail} /> : <EndLine detail={detail} />}
      {detail.problems.length > 0 && <Problems problems={detail.problems} />}
    </>
  );
}

function ProgressLine({ detail }: { readonly detail: RunDetail }): ReactNode {
  const { pace, state, kind } = detail;
  const nowMs = useNow();
  const { share, elapsedMs, leftMs, stall } = progressOf(pace, state, nowMs);
  const unit = kind === "runs" ? "step" : "rollout";
  const facts = [
    pace.planned === null
      ? `${formatCount(pace.done)} ${unit}s`
      : `${formatCount(pace.done)} of ${formatCount(pace.planned)} ${unit}s`,
    ...(share === undefined ? [] : [formatPercent(share)]),
    ...(elapsedMs === 0 ? [] : [`${formatSpan(elapsedMs)} so far`]),
    ...(leftMs === undefined || stall !== undefined ? [] : [`about ${formatSpan(leftMs)} left`]),
    ...(pace.unitMs === null ? [] : [`${formatSpan(pace.unitMs)} a step`]),
  ];
  return (
    <>
      <div className="progress">
        {share !== undefined && (
          <progress
            className={stall === undefined ? "" : "stalled"}
            max={1}
            value={share}
            aria-label={`Progress: ${facts.slice(0, 1).join("")}`}
          />
        )}
        <span className="number">{facts.join(" · ")}</span>
      </div>
      {stall !== undefined && (
        <p className="alert" role="status">
          <b>It seems to stand still.</b> <Excerpt text={stall} /> Its process is alive; the{" "}
          <button type="button" className="plain-link" onClick={() => setQuery({ tab: "record" })}>
            log
          </button>{" "}
          may tell what it waits for.
        </p>
      )}
    </>
  );
}

/** Of a run that did not come to its end: why, and how to go on. */
function EndLine({ detail }: { readonly detail: RunDetail }): ReactNode {
  const { state, events } = detail;
  const command = resumeCommand(detail);
  if (state === "gone") {
    return (
      <p className="alert" role="status">
        <b>The folder of this run is gone:</b> it was deleted or moved. What is shown here was read before; more of it
        cannot be opened.
      </p>
    );
  }
  if (state === "finished" || command === undefined) return null;
  const why = state === "failed" ? failureOf(events) : "";
  return (
    <div className={state === "failed" ? "alert bad" : "alert"}>
      <p>
        {state === "stopped" && "It was stopped. "}
        {state === "interrupted" && "Its process is gone without a word: it was killed, or its machine went down. "}
        {state === "failed" &&
          (why === "" ? (
            "It ended before it was done. "
          ) : (
            <>
              It failed: <Excerpt text={why} />{" "}
            </>
          ))}
      </p>
      <p className="go-on">
        <span>Go on with it:</span>
        <Command text={command} label="go on with this run" />
      </p>
    </div>
  );
}

function failureOf(events: RunDetail["events"]): string {
  const detail = events.findLast(({ type }) => type.endsWith("-fail"))?.detail;
  const message =
    typeof detail === "object" && detail !== null && "message" in detail ? detail["message"] : (detail ?? "");
  if (typeof message !== "string" || message === "") return "";
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function Problems({ problems }: { readonly problems: readonly FileProblem[] }): ReactNode {
  return (
    <div className="alert">
      {problems.map(({ file, lines, firstByte }) => (
        <p key={file}>
          {lines === 1 ? "A line" : `${formatCount(lines)} lines`} of <code>{file}</code> cannot be read and{" "}
          {lines === 1 ? "is" : "are"} not shown; {lines === 1 ? "it" : "the first"} begins at byte{" "}
          {formatCount(firstByte)}.
        </p>
      ))}
    </div>
  );
}

function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNowMs(Date.now());
    }, tickMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
