// Which MCP servers a rollout gets its tools from, as data, and the mistakes in it that can be told before anything runs.
import { HoneError } from "@hone/core";

/** A program that speaks MCP on its standard input and output. */
export interface ProgramServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** All that it gets beside PATH and HOME: nothing else of the host's environment reaches it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Inside the rollout's sandbox. Otherwise it runs on the host, with the rights of this program. */
  readonly inSandbox?: boolean;
}
/** Streamable HTTP. */
export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}
export type McpServerOptions = ProgramServer | HttpServer;

export interface McpToolsetOptions {
  /** By name; the name is the prefix of its tools. */
  readonly servers: Readonly<Record<string, McpServerOptions>>;
  /** "rollout": servers of its own, closed with it. "shared": one connection per server for all rollouts. Default: "rollout". */
  readonly lifecycle?: "rollout" | "shared";
  /** Tools are named `<server>_<tool>`. Default: where there is more than one server. */
  readonly prefix?: boolean;
  readonly callSeconds?: number;
  /** To start a server and learn its tools. */
  readonly connectSeconds?: number;
  /** Of text per call; what is beyond is dropped and counted. */
  readonly maxOutputBytes?: number;
}

export function isHttp(server: McpServerOptions): server is HttpServer {
  return "url" in server;
}

export function checkServers({ servers, lifecycle }: McpToolsetOptions): void {
  const names = Object.keys(servers);
  if (names.length === 0) throw wrong("No MCP server is given.", 'For example: servers: { files: { command: "npx" } }');
  for (const [name, server] of Object.entries(servers)) {
    if (!/^[a-zA-Z0-9_-]+$/.test(name))
      throw wrong(`${name} is no name for an MCP server.`, "Letters, digits, - and _: it becomes part of tool names.");
    if (isHttp(server)) {
      const protocol = URL.canParse(server.url) ? new URL(server.url).protocol : "";
      if (!/^https?:$/.test(protocol))
        throw wrong(`The MCP server ${name} has no http address.`, "url is like https://host/mcp.");
    } else if (server.command === "") {
      throw wrong(`The MCP server ${name} has an empty command.`, 'For example: command: "npx", args: [...]');
    } else if (server.inSandbox === true && lifecycle === "shared") {
      throw wrong(
        `The MCP server ${name} cannot be shared: it runs in the sandbox of one rollout.`,
        'Leave out inSandbox, or lifecycle: "shared".',
      );
    }
  }
}

/** What must not be repeated in an error: keys are given to servers as variables, headers and parts of an address. */
export function secretsOf(server: McpServerOptions): readonly string[] {
  if (!isHttp(server)) return Object.values(server.env ?? {}).filter(isLong);
  const { username, password, searchParams } = new URL(server.url);
  const headers = Object.values(server.headers ?? {}).flatMap((value) => [value, ...value.split(" ")]);
  return [...headers, username, password, ...searchParams.values()].filter(isLong);
}

/** Short values are words like "1" or "true", and hiding them would only make a text unreadable. */
function isLong(value: string): boolean {
  return value.length >= 6;
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets.toSorted((a, b) => b.length - a.length).reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

function wrong(message: string, hint: string): HoneError {
  return new HoneError(message, { code: "mcp-options", hint });
}
