// A run on disk, by name: append-only streams, rollouts with their token columns, the lock, and their readers.
export { type AppendLog, type AppendLogOptions, type Fsync, openAppendLog } from "./append-log.ts";
export { writeFileAtomic } from "./atomic.ts";
export { followLog, type FollowOptions } from "./follow-log.ts";
export { listRuns, type RunSummary } from "./list-runs.ts";
export { acquireLock, type LockHolder, type LockState, readLock, type RunLock } from "./lock.ts";
export { evalDirectoryName, type EvalName, runDirectory, safeName, stepName } from "./names.ts";
export { type BadRow, type LogRow, readLog, type ReadLogOptions } from "./read-log.ts";
export { readRollouts, type ReadRolloutsOptions, rolloutSteps } from "./read-rollouts.ts";
export { openRolloutWriter, type RolloutWriter } from "./rollout-file.ts";
export {
  CheckpointRow,
  type GroupOutcome,
  LedgerRow,
  MetricRow,
  type MetricValue,
  RunEvent,
  type RunStreams,
  type StreamName,
  TaskRow,
} from "./rows.ts";
export { createRun, isRun, openRun, resumeRun, type RunReader, type RunWriter } from "./run-directory.ts";
export { rolloutPaths, type RolloutPaths, runPaths, type RunPaths, samplesPath, weightsPath } from "./run-paths.ts";
export { clearStop, isStopRequested, requestStop } from "./stop.ts";
