// The names that people know. Each narrows the options of the one environment class and adds no behaviour.
import type { Data } from "@hone/core";
import { MultiTurnEnv } from "./environment.ts";
import type { Box, EnvironmentOptions } from "./options.ts";
import type { ToolShapes } from "./tool/tool.ts";

type Need<Options, Key extends keyof Options> = Options & { readonly [P in Key]-?: Exclude<Options[P], undefined> };

/** One reply, then rewards. */
export class SingleTurnEnv<Fields extends Data<Fields>, State extends Data<State> = {}> extends MultiTurnEnv<
  Fields,
  State
> {
  constructor(
    options: Omit<EnvironmentOptions<Fields, State, {}, undefined>, "tools" | "respond" | "stop" | "maxTurns">,
  ) {
    super({ ...options, maxTurns: 1 });
  }
}

/** Tools until the model answers without calling one; ten turns unless told. */
export class ToolEnv<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
> extends MultiTurnEnv<Fields, State, Tools> {
  constructor(options: Need<EnvironmentOptions<Fields, State, Tools, undefined>, "tools">) {
    super(options);
  }
}

/** Tools that share per-rollout state which the model never sees. */
export class StatefulToolEnv<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes = {},
  Sandboxed extends Box = undefined,
> extends MultiTurnEnv<Fields, State, Tools, Sandboxed> {
  constructor(options: Need<EnvironmentOptions<Fields, State, Tools, Sandboxed>, "tools" | "state">) {
    super(options);
  }
}
