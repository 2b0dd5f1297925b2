// What a run was given and what happened to it: its configuration as resolved, its log, and the command that goes on with it.
import type { ReactNode } from "react";
import { ConfigSection } from "./config-section.tsx";
import { Command } from "./copy-button.tsx";
import { LogView } from "./log-view.tsx";
import { resumeCommand } from "./run-commands.ts";
import type { LiveRun } from "./run-tabs.tsx";
import { isActive } from "./state-mark.tsx";

export function RunRecord({ run: { detail, path } }: { readonly run: LiveRun }): ReactNode {
  const resume = resumeCommand(detail);
  return (
    <>
      {resume !== undefined && (
        <p className="go-on">
          <span>Go on with it:</span>
          <Command text={resume} label="go on with this run" />
        </p>
      )}
      <div className="two record">
        <ConfigSection run={detail} />
        <LogView path={path} isLive={isActive(detail.state)} />
      </div>
    </>
  );
}
