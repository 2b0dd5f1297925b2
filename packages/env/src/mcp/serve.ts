// Serving tools: over standard input and output for one client, over streamable HTTP on this machine for many. Each session has a toolset of its own.
import type { Readable, Writable } from "node:stream";
import { addCallback } from "./callbacks.ts";
import { serverStdioPackage } from "./packages.ts";
import { type HttpOptions, serveHttp } from "./serve-http.ts";
import { type Served, ServedSessions } from "./serve-sessions.ts";
import type { ToolSource } from "./tool-source.ts";

export interface ServeOptions {
  readonly name: string;
  readonly version?: string;
  readonly transport: "stdio" | "http" | StdioOptions | HttpOptions;
}
/** Default: the streams of this program, which must then print nothing else. */
export interface StdioOptions {
  readonly type: "stdio";
  readonly input?: Readable;
  readonly output?: Writable;
}

export async function serveTools(source: ToolSource, { transport, ...identity }: ServeOptions): Promise<Served> {
  const chosen: StdioOptions | HttpOptions = typeof transport === "string" ? { type: transport } : transport;
  const sessions = new ServedSessions(source, identity);
  return chosen.type === "http" ? serveHttp(sessions, chosen) : overStdio(sessions, chosen);
}

async function overStdio(sessions: ServedSessions, { input, output }: StdioOptions): Promise<Served> {
  const { serveStdio, StdioServerTransport } = await serverStdioPackage();
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(async () => (await sessions.open()).server, { transport });
  const closed = new Promise<void>((resolve) => addCallback(transport, "onclose", resolve)).then(async () => {
    await handle.close();
    await sessions.ended();
  });
  return {
    url: undefined,
    closed,
    [Symbol.asyncDispose]: async () => {
      await handle.close();
      await closed;
    },
  };
}
