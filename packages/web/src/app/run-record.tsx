// What a run was given and what happened to it: its configuration as resolved, and its log.
import type { ReactNode } from "react";
import { ConfigSection } from "./config-section.tsx";
import { LogView } from "./log-view.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { isActive } from "./state-mark.tsx";

export function RunRecord({ run: { detail, path } }: { readonly run: LiveRun }): ReactNode {
  return (
    <div className="two record">
      <ConfigSection run={detail} />
      <LogView path={path} isLive={isActive(detail.state)} />
    </div>
  );
}
