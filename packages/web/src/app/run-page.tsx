// One run, or one evaluation: what it is, what it does now, and its tabs in the order of the flow.
import { type ReactNode, useMemo, useState } from "react";
import { post, useAnswer } from "./api.ts";
import type { RunDetail, RunKind } from "./api-types.ts";
import { EvalSummary } from "./eval-summary.tsx";
import { formatAge, formatCount, formatNumber } from "./format.ts";
import { Link, pathOf, setQuery, useAddress } from "./router.tsx";
import { RolloutList } from "./rollout-list.tsx";
import { RunRecord } from "./run-record.tsx";
import { type LiveRun, RewardTab, RolloutTab, SampleTab, TaskTab, UpdateTab } from "./run-tabs.tsx";
import { isActive, StateMark } from "./state-mark.tsx";
import { type Feed, useFeed } from "./use-feed.ts";
import { useKeys } from "./use-keys.ts";

const trainTabs = ["task", "rollout", "reward", "sample", "update", "record"] as const;
const evalTabs = ["reward", "rollout", "task", "record"] as const;
type Tab = (typeof trainTabs)[number];
const titles: Readonly<Record<Tab, string>> = {
  task: "Task",
  rollout: "Rollout",
  reward: "Reward",
  sample: "Sample",
  update: "Update",
  record: "Record",
};

export function RunPage({ kind, name }: { readonly kind: RunKind; readonly name: string }): ReactNode {
  const path = pathOf(kind, name);
  const { query } = useAddress();
  const [version, setVersion] = useState(0);
  const [isAtWork, setAtWork] = useState(true);
  const { value, error } = useAnswer<RunDetail>(path, { refreshMs: isAtWork ? 3000 : 15_000, version });
  // The feed goes on from the first answer; later ones only say what the feed does not, such as the state.
  const [cursor, setCursor] = useState<string>();
  if (cursor === undefined && value !== undefined) setCursor(value.cursor);
  const feed = useFeed(path, cursor);
  if (feed.version !== version) setVersion(feed.version);
  if (value !== undefined && isActive(value.state) !== isAtWork) setAtWork(isActive(value.state));

  const tabs: readonly Tab[] = kind === "runs" ? trainTabs : evalTabs;
  const asked = query.get("tab");
  const tab = tabs.find((one) => one === asked) ?? "reward";
  const keys = useMemo(
    () => Object.fromEntries(tabs.map((one, index) => [String(index + 1), () => setQuery({ tab: one })])),
    [tabs],
  );
  useKeys(keys);
  const run = useMemo(() => (value === undefined ? undefined : live(value, path, feed)), [value, path, feed]);

  if (run === undefined) return <p className={`notice ${error === undefined ? "" : "bad"}`}>{error ?? "Loading"}</p>;
  return (
    <>
      <RunHead run={run} error={error} feed={feed} />
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
            {titles[one]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="panel">
        <Panel tab={tab} run={run} />
      </div>
    </>
  );
}

function Panel({ tab, run }: { readonly tab: Tab; readonly run: LiveRun }): ReactNode {
  const isEval = run.detail.kind === "evals";
  switch (tab) {
    case "task":
      return <TaskTab run={run} />;
    case "rollout":
      return isEval ? <RolloutList run={run} /> : <RolloutTab run={run} />;
    case "reward":
      return isEval ? <EvalSummary run={run} /> : <RewardTab run={run} />;
    case "sample":
      return <SampleTab run={run} />;
    case "update":
      return <UpdateTab run={run} />;
    case "record":
      return <RunRecord run={run} />;
  }
}

/** What was loaded, with what has come since. */
function live(detail: RunDetail, path: string, { rows, evals, events, version }: Feed): LiveRun {
  const last = rows.at(-1);
  const reward = last?.["reward/mean"];
  const known = new Set(detail.evals.map(({ step, env }) => `${step} ${String(env)}`));
  const isNewer = last !== undefined && last.step > detail.step;
  return {
    path,
    rows,
    version,
    detail: {
      ...detail,
      step: isNewer ? last.step : detail.step,
      reward: isNewer && typeof reward === "number" ? reward : detail.reward,
      metrics: last === undefined ? detail.metrics : [...new Set([...detail.metrics, ...numericKeys(last)])],
      evals: [...detail.evals, ...evals.filter(({ step, env }) => !known.has(`${step} ${String(env)}`))],
      events: detail.events.length >= events.length ? detail.events : events,
    },
  };
}

function numericKeys(row: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(row).filter((key) => key !== "step" && typeof row[key] === "number");
}

interface HeadProps {
  readonly run: LiveRun;
  readonly error: string | undefined;
  readonly feed: Feed;
}

function RunHead({ run: { detail, path }, error, feed }: HeadProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const { kind, name, state, model, environments, step, maxSteps, reward, changedAtMs } = detail;
  const canStop = state === "running" && kind === "runs";
  const isLost = isActive(state) && (feed.connection === "lost" || error !== undefined);
  return (
    <div className="run-head">
      <div className="head">
        <p className="crumbs">
          <Link to={`/${kind}`}>{kind === "runs" ? "Runs" : "Evals"}</Link>
        </p>
        <h1>{name}</h1>
        <StateMark state={isAsked && state === "running" ? "stopping" : state} />
        <span className="space" />
        <span role="status" className="faint">
          {isLost ? "Connection lost, trying again" : ""}
        </span>
        {canStop && !isAsked && (
          <button
            type="button"
            onClick={() => {
              setAsked(true);
              post(`${path}/stop`).catch(() => setAsked(false));
            }}
            title="Writes the run's stop file; it stops after the present step and can be resumed"
          >
            Stop after this step
          </button>
        )}
      </div>
      <dl className="facts">
        <Fact name="model">{model ?? "–"}</Fact>
        <Fact name={environments.length === 1 ? "environment" : "environments"}>{environments.join(", ") || "–"}</Fact>
        {kind === "runs" && (
          <Fact name="step">
            <span className="number" data-testid="step">
              {formatCount(step)}
            </span>
            {maxSteps !== null && <span className="faint"> / {formatCount(maxSteps)}</span>}
          </Fact>
        )}
        <Fact name="reward">
          <span className="number">{formatNumber(reward)}</span>
        </Fact>
        <Fact name="changed">{formatAge(changedAtMs, Date.now())}</Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
