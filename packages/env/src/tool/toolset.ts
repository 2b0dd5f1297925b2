// Tools that are known only when a rollout starts: those of an MCP server, for example. An environment's own tools are plain objects (tool.ts).
import type { CallOptions, Content, ToolCall, ToolSpec } from "@hone/core";

export interface Toolset extends AsyncDisposable {
  readonly specs: readonly ToolSpec[];
  /** The answer to the model. What it throws is told to the model as an error, unless it is fatal. */
  call(call: ToolCall, options: CallOptions): Promise<ToolResult>;
}
export interface ToolResult {
  readonly content: Content;
  readonly isError?: boolean;
}
