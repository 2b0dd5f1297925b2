// How a run ended, from its events: the last start or end of it that was written. A run that says neither has failed, or was killed.
import { readLog } from "../read-log.ts";
import { RunEvent } from "../rows.ts";
import { runPaths } from "../run-paths.ts";
import type { RunStatus } from "./sink.ts";

export async function runStatus(directory: string): Promise<RunStatus> {
  let status: RunStatus = "failed";
  const events = readLog(runPaths(directory).streams.events, RunEvent, { onBadRow: () => undefined });
  for await (const { value } of events) status = statusAfter(value) ?? status;
  return status;
}

function statusAfter({ type, detail }: RunEvent): RunStatus | undefined {
  if (/^(?:run|evaluation)-(?:start|resume)$/.test(type)) return "failed";
  if (type === "evaluation-interrupt") return "stopped";
  if (type !== "run-end" && type !== "evaluation-end") return undefined;
  const why = typeof detail === "object" && detail !== null && "why" in detail ? detail.why : undefined;
  if (why === "stopped") return "stopped";
  return why === "failed" ? "failed" : "finished";
}
