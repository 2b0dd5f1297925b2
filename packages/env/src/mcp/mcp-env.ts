// MCPEnv: the tools of MCP servers, beside tools of the environment's own. Ten turns unless told, as with any tools.
import type { Data } from "@hone/core";
import { MultiTurnEnv } from "../environment.ts";
import type { Box, EnvironmentOptions } from "../options.ts";
import type { ToolShapes } from "../tool/tool.ts";
import { type McpToolset, mcpToolset } from "./mcp-toolset.ts";
import type { McpToolsetOptions } from "./servers.ts";

export interface MCPEnvOptions<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes,
  Sandboxed extends Box,
>
  extends EnvironmentOptions<Fields, State, Tools, Sandboxed>, McpToolsetOptions {
  readonly toolset?: never;
}

export class MCPEnv<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
  Sandboxed extends Box = undefined,
>
  extends MultiTurnEnv<Fields, State, Tools, Sandboxed>
  implements AsyncDisposable
{
  readonly #toolset: McpToolset;

  constructor(options: MCPEnvOptions<Fields, State, Tools, Sandboxed>) {
    const toolset = mcpToolset(options, Object.keys(options.tools ?? {}));
    super({ ...options, maxTurns: options.maxTurns ?? 10, toolset: (scope) => toolset(scope) });
    this.#toolset = toolset;
  }

  /** Closes connections that rollouts share; those of a rollout are closed with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#toolset[Symbol.asyncDispose]();
  }
}
