// A run with what has come since it was loaded, as every tab gets it, and which tabs a run has, in the order of the flow.
import type { ReactNode } from "react";
import type { MetricRow, RunDetail } from "./api-types.ts";
import { EvalSummary } from "./eval-summary.tsx";
import { RewardTab } from "./reward-tab.tsx";
import { RolloutList } from "./rollout-list.tsx";
import { RolloutTab } from "./rollout-tab.tsx";
import { RunRecord } from "./run-record.tsx";
import { SampleTab } from "./sample-tab.tsx";
import type { SeriesLoader } from "./series-loader.ts";
import { TaskTab } from "./task-tab.tsx";
import { UpdateTab } from "./update-tab.tsx";

export interface LiveRun {
  readonly detail: RunDetail;
  /** Of the API. */
  readonly path: string;
  /** Rows that came after the page was opened. */
  readonly rows: readonly MetricRow[];
  readonly version: number;
  /** Loads what charts show. */
  readonly loader: SeriesLoader;
}

export interface TabProps {
  readonly run: LiveRun;
}

export type Tab = "task" | "rollout" | "reward" | "sample" | "update" | "record";

export const tabTitles: Readonly<Record<Tab, string>> = {
  task: "Task",
  rollout: "Rollout",
  reward: "Reward",
  sample: "Sample",
  update: "Update",
  record: "Record",
};

const trainTabs: readonly Tab[] = ["task", "rollout", "reward", "sample", "update", "record"];
/** Conversations that exist already are neither rolled out nor rewarded. */
const sftTabs: readonly Tab[] = ["sample", "update", "record"];
const evalTabs: readonly Tab[] = ["reward", "rollout", "task", "record"];

export function tabsOf({ kind, isSft }: Pick<RunDetail, "kind" | "isSft">): readonly Tab[] {
  if (kind === "evals") return evalTabs;
  return isSft ? sftTabs : trainTabs;
}

/** What is looked at most: the curve. */
export function firstTab({ isSft }: Pick<RunDetail, "isSft">): Tab {
  return isSft ? "update" : "reward";
}

export function TabPanel({ tab, run }: TabProps & { readonly tab: Tab }): ReactNode {
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
