// MCP servers as the toolset of an environment. What a server answers goes to the model, errors too; a server that cannot be started fails the
// rollout at the boundary "tool", and may be retried.
import { HoneError, type JsonObject, type Sandbox, type ToolCall, type ToolSpec } from "@hone/core";
import type { Tool } from "@modelcontextprotocol/client";
import type { ToolResult, Toolset } from "../tool/toolset.ts";
import { toToolResult } from "./result.ts";
import { checkServers, type McpToolsetOptions } from "./servers.ts";
import { ServerLink } from "./server-link.ts";

/** For `toolset` of an environment. Disposing of it closes shared connections. */
export interface McpToolset extends AsyncDisposable {
  (scope: McpScope): Promise<Toolset>;
}
export interface McpScope {
  readonly signal: AbortSignal;
  readonly sandbox?: Sandbox;
}

interface Offered {
  readonly spec: ToolSpec;
  readonly link: ServerLink;
  readonly tool: Tool;
}

/** `taken` are names that the servers' tools must not have: those of the environment's own tools. */
export function mcpToolset(options: McpToolsetOptions, taken: readonly string[] = []): McpToolset {
  checkServers(options);
  const { servers, lifecycle = "rollout", callSeconds = 60, connectSeconds = 60, maxOutputBytes = 20_000 } = options;
  const { prefix = Object.keys(servers).length > 1 } = options;
  const isShared = lifecycle === "shared";
  const linksFor = (sandbox: Sandbox | undefined): readonly (readonly [string, ServerLink])[] =>
    Object.entries(servers).map(([name, server]) => {
      const times = { connectMs: connectSeconds * 1000, callMs: callSeconds * 1000 };
      return [name, new ServerLink({ name, server, sandbox, isShared, ...times })] as const;
    });
  const shared = isShared ? linksFor(undefined) : undefined;

  const open = async ({ signal, sandbox }: McpScope): Promise<Toolset> => {
    const links = shared ?? linksFor(sandbox);
    const close = (): Promise<void> => (isShared ? Promise.resolve() : closeAll(links));
    try {
      const listed = await Promise.all(
        links.map(async ([name, link]) => [name, link, await link.tools(signal)] as const),
      );
      const offered = listed.flatMap(([name, link, tools]) =>
        tools.map((tool): Offered => ({ link, tool, spec: specOf(tool, prefix ? `${name}_${tool.name}` : tool.name) })),
      );
      const byName = uniquely(offered, taken);
      return {
        specs: offered.map(({ spec }) => spec),
        call: (call, { signal: ofCall }) => answer(byName, call, maxOutputBytes, ofCall),
        [Symbol.asyncDispose]: close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  };
  return Object.assign(open, { [Symbol.asyncDispose]: () => closeAll(shared ?? []) });
}

async function answer(
  offered: ReadonlyMap<string, Offered>,
  call: ToolCall,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ToolResult> {
  const found = offered.get(call.name);
  if (found === undefined) throw new HoneError(`There is no tool ${call.name}.`, { code: "unknown-tool" });
  const input = (call.arguments.trim() === "" ? {} : JSON.parse(call.arguments)) as Record<string, unknown>;
  const { result, isRestarted } = await found.link.call(found.tool, input, signal);
  const shown = toToolResult(result, maxBytes);
  if (!isRestarted) return shown;
  const notice = "(The server was restarted before this call: what it held in memory is gone.)";
  const content =
    typeof shown.content === "string"
      ? `${notice}\n${shown.content}`
      : ([{ type: "text", text: notice }, ...shown.content] as const);
  return { ...shown, content };
}

/** Model providers take letters, digits, - and _, at most 64 of them; MCP also allows dots and slashes. */
function specOf({ description, title, inputSchema }: Tool, name: string): ToolSpec {
  const { $schema: _dialect, ...parameters } = inputSchema;
  return {
    name: name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
    description: description ?? title ?? "",
    parameters: parameters as JsonObject,
  };
}

function uniquely(offered: readonly Offered[], taken: readonly string[]): Map<string, Offered> {
  const byName = new Map<string, Offered>();
  for (const one of offered) {
    const { name } = one.spec;
    if (byName.has(name) || taken.includes(name)) {
      throw new HoneError(`Two tools are named ${name}.`, {
        code: "duplicate-tool",
        hint: "Set prefix: true, or rename a server or a tool of the environment's own.",
      });
    }
    byName.set(name, one);
  }
  return byName;
}

async function closeAll(links: readonly (readonly [string, ServerLink])[]): Promise<void> {
  await Promise.all(links.map(([, link]) => link[Symbol.asyncDispose]()));
}
