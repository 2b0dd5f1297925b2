// Streamable HTTP on 127.0.0.1, one protocol session per client: `initialize` opens it, DELETE or silence ends it. Requests that name another
// host or come from a web page elsewhere are refused, so that no site a browser visits can reach the tools.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { addCallback } from "./callbacks.ts";
import { serverPackage, type ServerPackage } from "./packages.ts";
import type { Served, ServedSessions } from "./serve-sessions.ts";

export interface HttpOptions {
  readonly type: "http";
  /** Any free one unless given. */
  readonly port?: number;
  /** A session that asks nothing for so long is ended. Default: an hour. */
  readonly idleSeconds?: number;
}

interface OpenSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly idle: NodeJS.Timeout;
}

export async function serveHttp(
  sessions: ServedSessions,
  { port = 0, idleSeconds = 3600 }: HttpOptions,
): Promise<Served> {
  const library = await serverPackage();
  const open = new Map<string, OpenSession>();
  let isClosing = false;

  const begin = async (request: Request, parsedBody: unknown): Promise<Response> => {
    const { server, end } = await sessions.open();
    if (isClosing) {
      await end();
      return problem(library, 503, "The server is closing.");
    }
    const transport = new library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const idle = setTimeout(() => void transport.close(), idleSeconds * 1000).unref();
        open.set(id, { transport, idle });
      },
    });
    await server.connect(transport);
    addCallback(transport, "onclose", () => {
      const { sessionId = "" } = transport;
      clearTimeout(open.get(sessionId)?.idle);
      open.delete(sessionId);
    });
    const response = await transport.handleRequest(request, { parsedBody });
    if (transport.sessionId === undefined) await transport.close(); // refused: its headers were wrong
    return response;
  };

  const answer = async (request: Request): Promise<Response> => {
    const refused =
      library.hostHeaderValidationResponse(request, library.localhostAllowedHostnames()) ??
      library.originValidationResponse(request, library.localhostAllowedOrigins());
    if (refused !== undefined) return refused;
    if (new URL(request.url).pathname !== "/mcp") return problem(library, 404, "There is only /mcp here.");
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = open.get(id);
      session?.idle.refresh();
      return session?.transport.handleRequest(request) ?? problem(library, 404, "This session is not known.");
    }
    const body = request.method === "POST" ? await readJson(library, request) : undefined;
    if (!library.isInitializeRequest(body)) return problem(library, 400, "A session begins with `initialize`.");
    return begin(request, body).catch((error: unknown) => {
      return problem(library, 500, error instanceof Error ? error.message : String(error));
    });
  };

  const http = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing, answer).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, "127.0.0.1", resolve);
  });
  const closed = new Promise<void>((resolve) => http.once("close", resolve)).then(() => sessions.ended());
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    closed,
    [Symbol.asyncDispose]: async () => {
      isClosing = true;
      await Promise.all([...open.values()].map(({ transport }) => transport.close()));
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

/** Undefined where it is no JSON, or too much of it. */
async function readJson(library: ServerPackage, request: Request): Promise<unknown> {
  const body = await library.readRequestBody(request);
  if (body.tooLarge) return undefined;
  try {
    return JSON.parse(body.text);
  } catch {
    return undefined;
  }
}

function problem(library: ServerPackage, status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: library.INVALID_REQUEST, message } }, { status });
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const response = await answer(toRequest(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing);
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const body = method === "POST" ? { body: Readable.toWeb(incoming) as never, duplex: "half" as const } : {};
  return new Request(new URL(url, `http://${headers.host ?? "127.0.0.1"}`), {
    method,
    headers: given,
    signal,
    ...body,
  });
}
