// What a run is doing, in a word with a mark. The word carries the meaning, the colour only helps.
import type { ReactNode } from "react";
import type { RunState } from "./api-types.ts";

const words: Readonly<Record<RunState, string>> = {
  running: "running",
  stopping: "stopping",
  elsewhere: "on another host",
  finished: "finished",
  stopped: "stopped",
  failed: "failed",
  interrupted: "interrupted",
  gone: "gone",
};

export function StateMark({ state }: { readonly state: RunState }): ReactNode {
  return <span className={`state ${state}`}>{words[state]}</span>;
}

export function isActive(state: RunState): boolean {
  return state === "running" || state === "stopping" || state === "elsewhere";
}
