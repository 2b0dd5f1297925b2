// What a run was given, what happened to it and what it left: its configuration as resolved, its log, its checkpoints.
import type { ReactNode } from "react";
import { Checkpoints } from "./checkpoints.tsx";
import { ConfigSection } from "./config-section.tsx";
import { LogView } from "./log-view.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { isActive } from "./state-mark.tsx";

export function RunRecord({ run: { detail, path } }: { readonly run: LiveRun }): ReactNode {
  return (
    <>
      <Checkpoints run={detail} />
      <div className="two record">
        <ConfigSection run={detail} />
        <LogView path={path} isLive={isActive(detail.state)} />
      </div>
    </>
  );
}
