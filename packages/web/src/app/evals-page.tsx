// All evaluations: environment, model, reward with its interval, how sure one can be.
import { type ReactNode, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RunItem } from "./api-types.ts";
import { formatAge, formatCount, formatNumber, formatTime } from "./format.ts";
import { EvalComparison } from "./eval-comparison.tsx";
import { EvalMatrix } from "./eval-matrix.tsx";
import { Interval } from "./interval.tsx";
import { RootNotes } from "./root-notes.tsx";
import { Link, pathOf, setQuery, useAddress } from "./router.tsx";
import { type Column, SortedTable } from "./sorted-table.tsx";
import { StateMark } from "./state-mark.tsx";
import { tickColumn, tickedIn } from "./ticks.tsx";

const columns = (nowMs: number, ticked: readonly string[]): readonly Column<RunItem>[] => [
  tickColumn(ticked),
  {
    key: "env",
    title: "Environment",
    of: ({ environments }) => environments.join(" "),
    cell: ({ kind, name, environments }) => (
      <Link to={pathOf(kind, name)} label={`${environments.join(", ")}, evaluation ${name}`}>
        {environments.join(", ") || name}
      </Link>
    ),
    isHead: true,
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
  { key: "state", title: "State", of: ({ state }) => state, cell: ({ state }) => <StateMark state={state} /> },
  {
    key: "reward",
    title: "Reward",
    of: ({ reward }) => reward ?? -Infinity,
    isNumber: true,
    cell: ({ reward }) => <span className="strong">{formatNumber(reward)}</span>,
  },
  { key: "interval", title: "95 % interval", cell: ({ result }) => <Interval row={result} /> },
  numeric("pass@1", "pass@1"),
  numeric("tasks", "Tasks"),
  numeric("n", "Rollouts"),
  numeric("failed", "Failed"),
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

function numeric(key: string, title: string): Column<RunItem> {
  const of = ({ result }: RunItem): number => (typeof result?.[key] === "number" ? result[key] : Number.NaN);
  return {
    key,
    title,
    of: (item) => (Number.isNaN(of(item)) ? -Infinity : of(item)),
    isNumber: true,
    cell: (item) =>
      Number.isNaN(of(item))
        ? "–"
        : Number.isInteger(of(item)) && key !== "pass@1"
          ? formatCount(of(item))
          : formatNumber(of(item)),
  };
}

export function EvalsPage(): ReactNode {
  const { query } = useAddress();
  const { value, error } = useAnswer<readonly RunItem[]>("/list/evals", { refreshMs: 5000 });
  const [typed, setTyped] = useState(query.get("filter") ?? "");
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (value ?? []).filter(({ name, state, model, environments }) => {
    const text = [name, state, model, ...environments].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const ticked = tickedIn(query, value);
  const [before, after] = ticked.slice(-2).flatMap((name) => value?.filter((item) => item.name === name) ?? []);
  return (
    <>
      <div className="head">
        <h1>Evals</h1>
        {value !== undefined && <span className="faint">{formatCount(value.length)}</span>}
        <span className="space" />
        <input
          type="search"
          value={typed}
          placeholder="Filter by environment, model, state"
          aria-label="Filter the evaluations"
          onChange={({ target }) => {
            setTyped(target.value);
            setQuery({ filter: target.value });
          }}
        />
      </div>
      {error !== undefined && <p className="notice bad">{error}</p>}
      {value !== undefined && value.length > 0 && shown.length === 0 && (
        <p className="notice">No evaluation matches.</p>
      )}
      {shown.length > 0 && (
        <SortedTable
          label="Evaluations"
          rows={shown}
          columns={columns(Date.now(), ticked)}
          rowKey={({ name }) => name}
          sort={query.get("sort") ?? "env"}
        />
      )}
      {ticked.length === 1 && <p className="notice">Tick another one to compare the two task by task.</p>}
      {before !== undefined && after !== undefined && <EvalComparison before={before} after={after} />}
      <EvalMatrix items={shown} />
      <RootNotes kind="evals" count={value?.length} />
    </>
  );
}
