// A prepared configuration to results. The command line and `evaluate` from code both come through here.
import { HoneError, type SandboxProvider } from "@hone/core";
import type { Blocked } from "@hone/env";
import { type Evaluation, evaluateMatrix, type Matrix, type Progress } from "@hone/eval";
import type { Models } from "../model/find-model.ts";
import type { Cell } from "./directories.ts";
import { cellOf, type Prepared } from "./prepare.ts";
import { foundSandboxes } from "./sandboxes.ts";

export interface RunOptions {
  readonly prepared: Prepared;
  /** Where judges come from. */
  readonly models: Models;
  /** Without it nothing is kept. */
  readonly directoryOf?: (cell: Cell) => string;
  readonly resume?: boolean;
  /** Further attempts of a rollout that failed for a passing reason. */
  readonly retries?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Environment code held the event loop of a worker thread. */
  readonly onBlocked?: (blocked: Blocked) => void;
  /** What this machine has, unless given. */
  readonly sandboxes?: SandboxProvider;
  readonly signal?: AbortSignal;
}

export function runPrepared(options: RunOptions): Promise<Matrix> {
  const {
    prepared,
    models,
    directoryOf,
    resume,
    retries = 0,
    onProgress,
    onBlocked = () => undefined,
    sandboxes = foundSandboxes(),
    signal,
  } = options;
  return evaluateMatrix({
    config: prepared.config,
    loadEnvironment: async ({ name = "" }) => cellOf(known(prepared.environments, name), onBlocked),
    resolveModel: async (name) => known(prepared.models, name),
    models: models.judge,
    sandboxes,
    retry: { attempts: retries + 1 },
    ...(directoryOf === undefined ? {} : { directoryOf }),
    ...(resume === undefined ? {} : { resume }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The one evaluation of a configuration with one environment and one model. Throws what stopped it. */
export function onlyEvaluation({ cells: [cell] }: Matrix): Evaluation | undefined {
  if (cell?.error === undefined) return cell?.evaluation;
  const { message, code, hint } = cell.error;
  throw new HoneError(message, { code, ...(hint === undefined ? {} : { hint }) });
}

function known<Value>(map: ReadonlyMap<string, Value>, name: string): Value {
  const value = map.get(name);
  if (value === undefined) throw new HoneError(`${name} was not prepared.`, { code: "error" });
  return value;
}
