// SandboxEnv: the model has a shell in a sandbox of its own. Files are laid out per task before the first turn; what grades the result is brought in
// afterwards, into a fresh sandbox where the model never was.
import type { Awaitable, Data, SandboxSpec, Task } from "@hone/core";
import { MultiTurnEnv } from "../environment.ts";
import type { EnvironmentOptions } from "../options.ts";
import type { SetupScope } from "../scope.ts";
import type { ToolShapes } from "../tool/tool.ts";
import { type ShellOptions, shellTools } from "./bash-tool.ts";

export interface SandboxEnvOptions<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes,
> extends EnvironmentOptions<Fields, State, Tools, SandboxSpec> {
  /** Files of this task, by path below /work. */
  readonly files?: (scope: { readonly task: Task<Fields> }) => Awaitable<Readonly<Record<string, string>>>;
  readonly shell?: ShellOptions;
}

export class SandboxEnv<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
> extends MultiTurnEnv<Fields, State, Tools, SandboxSpec> {
  constructor({ files, shell = {}, sandbox = {}, ...options }: SandboxEnvOptions<Fields, State, Tools>) {
    const state = async (scope: SetupScope<Fields, SandboxSpec>): Promise<State> => {
      const laid = (await files?.({ task: scope.task })) ?? {};
      for (const [path, content] of Object.entries(laid)) await scope.sandbox.write(path, content);
      return (await options.state?.(scope)) ?? ({} as State);
    };
    const tools = { ...shellTools(shell), ...options.tools };
    super({ ...options, sandbox, state, tools } as unknown as EnvironmentOptions<Fields, State, Tools, SandboxSpec>);
  }
}
