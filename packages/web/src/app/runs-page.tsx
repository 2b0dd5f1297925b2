// All runs: what they do, how far they are, how the reward goes. Those at work are looked at again every few seconds.
import { type ReactNode, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RunItem } from "./api-types.ts";
import { CompareChart } from "./compare-chart.tsx";
import { formatAge, formatCount, formatNumber, formatSpan, formatTime } from "./format.ts";
import { RootNotes } from "./root-notes.tsx";
import { Link, pathOf, setQuery, useAddress } from "./router.tsx";
import { type Column, SortedTable } from "./sorted-table.tsx";
import { Sparkline } from "./sparkline.tsx";
import { progressOf } from "./run-progress.ts";
import { StateMark } from "./state-mark.tsx";
import { tickColumn, tickedIn } from "./ticks.tsx";

const columns = (nowMs: number, ticked: readonly string[]): readonly Column<RunItem>[] => [
  tickColumn(ticked),
  {
    key: "name",
    title: "Run",
    of: ({ name }) => name,
    cell: ({ kind, name }) => (
      <span className="names" title={name}>
        <Link to={pathOf(kind, name)}>{name}</Link>
      </span>
    ),
    isHead: true,
  },
  {
    key: "state",
    title: "State",
    of: ({ state }) => state,
    cell: ({ state, pace }) => <LiveState state={state} pace={pace} nowMs={nowMs} />,
  },
  {
    key: "env",
    title: "Environments",
    of: ({ environments }) => environments.join(" "),
    cell: ({ environments, isSft }) => (
      <span className={isSft ? "names faint" : "names"} title={environments.join(", ")}>
        {isSft ? "fine-tuned on conversations" : environments.join(", ") || "–"}
      </span>
    ),
  },
  {
    key: "model",
    title: "Model",
    of: ({ model }) => model ?? "",
    cell: ({ model }) => (
      <span className="names" title={model ?? ""}>
        {model ?? "–"}
      </span>
    ),
  },
  {
    key: "step",
    title: "Step",
    of: ({ step }) => step,
    isNumber: true,
    cell: ({ step, maxSteps }) => (
      <>
        {formatCount(step)}
        {maxSteps !== null && <span className="faint"> / {formatCount(maxSteps)}</span>}
      </>
    ),
  },
  {
    key: "reward",
    title: "Reward",
    of: ({ reward }) => reward ?? -Infinity,
    isNumber: true,
    cell: ({ reward, isSft, loss }) =>
      isSft ? (
        <>
          <span className="faint">loss</span> {formatNumber(loss)}
        </>
      ) : (
        formatNumber(reward)
      ),
  },
  {
    key: "curve",
    title: "Curve",
    cell: ({ sparkline, isSft }) => <Sparkline values={sparkline} name={isSft ? "Loss" : "Reward"} />,
  },
  {
    key: "age",
    title: "Changed",
    of: ({ changedAtMs }) => -changedAtMs,
    isNumber: true,
    cell: ({ changedAtMs }) => (
      <time dateTime={new Date(changedAtMs).toISOString()} title={`${formatTime(changedAtMs)} UTC`}>
        {formatAge(changedAtMs, nowMs)}
      </time>
    ),
  },
];

export function RunsPage(): ReactNode {
  const { query } = useAddress();
  const { value, error } = useAnswer<readonly RunItem[]>("/list/runs", { refreshMs: 2000 });
  const [typed, setTyped] = useState(query.get("filter") ?? "");
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (value ?? []).filter(({ name, state, model, environments, isSft }) => {
    const text = [name, state, model, isSft ? "sft" : "", ...environments].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const ticked = tickedIn(query, value);
  const compared = ticked.flatMap((name) => value?.find((item) => item.name === name) ?? []);
  return (
    <>
      <div className="head">
        <h1>Runs</h1>
        {value !== undefined && <span className="faint">{formatCount(value.length)}</span>}
        <span className="space" />
        <input
          type="search"
          value={typed}
          placeholder="Filter by name, state, model"
          aria-label="Filter the runs"
          onChange={({ target }) => {
            setTyped(target.value);
            setQuery({ filter: target.value });
          }}
        />
      </div>
      {error !== undefined && <p className="notice bad">{error}</p>}
      {compared.length > 0 && <CompareChart items={compared} />}
      {value !== undefined && value.length > 0 && shown.length === 0 && <p className="notice">No run matches.</p>}
      {shown.length > 0 && (
        <SortedTable
          label="Runs"
          rows={shown}
          columns={columns(Date.now(), ticked)}
          rowKey={({ name }) => name}
          sort={query.get("sort") ?? "age"}
        />
      )}
      <RootNotes kind="runs" count={value?.length} />
    </>
  );
}

function LiveState({ state, pace, nowMs }: Pick<RunItem, "state" | "pace"> & { readonly nowMs: number }): ReactNode {
  const { leftMs, stall } = progressOf(pace, state, nowMs);
  return (
    <>
      <StateMark state={state} />
      {state === "running" && stall !== undefined && (
        <span className="warn" title={stall}>
          {" "}
          stands still
        </span>
      )}
      {state === "running" && stall === undefined && leftMs !== undefined && (
        <span className="faint"> {formatSpan(leftMs)} left</span>
      )}
    </>
  );
}
