// Tools over MCP: servers as an environment's tools, and an environment's tools as a server.
export { type JobTransportOptions, sandboxTransport } from "./job-transport.ts";
export { MCPEnv, type MCPEnvOptions } from "./mcp-env.ts";
export { type McpScope, type McpToolset, mcpToolset } from "./mcp-toolset.ts";
export { type ServeOptions, serveTools, type StdioOptions } from "./serve.ts";
export type { HttpOptions } from "./serve-http.ts";
export type { Served } from "./serve-sessions.ts";
export type { HttpServer, McpServerOptions, McpToolsetOptions, ProgramServer } from "./servers.ts";
export { createToolServer, type ToolServerOptions } from "./tool-server.ts";
export {
  type EnvironmentSourceOptions,
  type ServedToolset,
  toolsOf,
  toolsOfEnvironment,
  type ToolSource,
} from "./tool-source.ts";
