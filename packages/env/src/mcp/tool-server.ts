// A toolset as an MCP server of the official package. Arguments are checked and errors worded by the toolset, as they are in a rollout.
import type { ContentPart } from "@hone/core";
import type { CallToolResult, ContentBlock, McpServer, Tool } from "@modelcontextprotocol/server";
import { serverPackage } from "./packages.ts";
import type { ServedToolset } from "./tool-source.ts";

export interface ToolServerOptions {
  readonly name: string;
  readonly version?: string;
  /** Not closed with the server: whoever opened it closes it. */
  readonly toolset: ServedToolset;
}

export async function createToolServer({ name, version = "0.1.0", toolset }: ToolServerOptions): Promise<McpServer> {
  const { McpServer } = await serverPackage();
  const { specs, instructions } = toolset;
  const capabilities = { tools: {} };
  const server = new McpServer(
    { name, version },
    instructions === undefined ? { capabilities } : { capabilities, instructions },
  );
  const tools = specs.map((spec) => ({
    name: spec.name,
    description: spec.description,
    inputSchema: { ...spec.parameters, type: "object" } as Tool["inputSchema"],
  }));
  server.server.setRequestHandler("tools/list", () => ({ tools }));
  server.server.setRequestHandler("tools/call", async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const call = { id: String(mcpReq.id), name: params.name, arguments: JSON.stringify(params.arguments ?? {}) };
    const { content, isError } = await toolset.call(call, { signal: mcpReq.signal });
    const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
    return { content: parts.map(toBlock), ...(isError === true ? { isError } : {}) };
  });
  return server;
}

function toBlock(part: ContentPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? [];
  if (mimeType !== undefined && data !== undefined) return { type: "image", mimeType, data };
  return { type: "resource_link", name: "image", uri: part.url };
}
