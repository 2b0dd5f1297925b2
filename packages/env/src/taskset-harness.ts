// Taskset x Harness: what is asked and how it is scored, apart from how a model is run on it.
import type { Data, Harness } from "@hone/core";
import { MultiTurnEnv } from "./environment.ts";
import type { Box, EnvironmentOptions } from "./options.ts";
import type { ToolShapes } from "./tool/tool.ts";

export type TasksetOptions<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes,
  Sandboxed extends Box,
> = Omit<EnvironmentOptions<Fields, State, Tools, Sandboxed>, "harness">;

/** Keeps the types of a taskset that is written apart from its harness. */
export function defineTaskset<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
  Sandboxed extends Box = undefined,
>(options: TasksetOptions<Fields, State, Tools, Sandboxed>): TasksetOptions<Fields, State, Tools, Sandboxed> {
  return options;
}

export interface HarnessedOptions<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes,
  Sandboxed extends Box,
> {
  readonly taskset: TasksetOptions<Fields, State, Tools, Sandboxed>;
  readonly harness: Harness;
}

export class HarnessedEnv<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
  Sandboxed extends Box = undefined,
> extends MultiTurnEnv<Fields, State, Tools, Sandboxed> {
  constructor({ taskset, harness }: HarnessedOptions<Fields, State, Tools, Sandboxed>) {
    super({ ...taskset, harness });
  }
}
