// For tests: a real server on this machine that answers as the Hugging Face hub does, keeps a log, and misbehaves on request.
// Files are served from a second origin behind a redirect, as the hub's storage is.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parquetWriteBuffer } from "hyparquet-writer";

/** What a storage request meets, one after the other; then all is well. */
export type Trouble =
  | { readonly cutAfter: number }
  | { readonly status: number; readonly retryAfter?: string }
  | { readonly stallAfter: number };

export interface TestHub extends AsyncDisposable {
  readonly endpoint: string;
  /** By address on the hub, without the first slash: "files/0.parquet". */
  readonly files: Map<string, Buffer>;
  readonly views: Map<string, unknown>;
  readonly troubles: Trouble[];
  /** Cuts the connections that have stalled. A test calls it when what was sent has arrived. */
  readonly cut: () => void;
  readonly requests: {
    readonly origin: "hub" | "storage";
    readonly path: string;
    readonly authorization?: string;
    readonly range?: string;
  }[];
}

export function parquetOf(rows: readonly Readonly<Record<string, string>>[]): Buffer {
  const names = Object.keys(rows[0] ?? {});
  const columnData = names.map((name) => ({ name, data: rows.map((row) => row[name] ?? ""), type: "STRING" as const }));
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 100 }));
}

export async function startHub({ hasEtags = true } = {}): Promise<TestHub> {
  const files = new Map<string, Buffer>();
  const views = new Map<string, unknown>();
  const troubles: Trouble[] = [];
  const stalled = new Set<ServerResponse>();
  const requests: TestHub["requests"] = [];
  const note = (
    origin: "hub" | "storage",
    { url = "", headers: { authorization, range } }: IncomingMessage,
  ): string => {
    const path = url.slice(1).split("?")[0] ?? "";
    requests.push({ origin, path, ...(authorization ? { authorization } : {}), ...(range ? { range } : {}) });
    return path;
  };
  const storage = await listen((request, response) => {
    const content = files.get(note("storage", request));
    if (content === undefined) response.writeHead(404).end();
    else {
      const trouble = troubles.shift();
      if (trouble !== undefined && "stallAfter" in trouble) stalled.add(response);
      serve(request, response, content, trouble, hasEtags);
    }
  });
  const hub = await listen((request, response) => {
    const path = note("hub", request);
    const content = files.get(path);
    const view = views.get(path);
    if (view !== undefined) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(view));
    else if (content === undefined) response.writeHead(404).end();
    else {
      const sha256 = createHash("sha256").update(content).digest("hex");
      const location = `${addressOf(storage)}/${path}?signature=secret`;
      response.writeHead(302, { location, "x-linked-etag": `"${sha256}"` }).end();
    }
  });
  return {
    endpoint: addressOf(hub),
    files,
    views,
    troubles,
    cut: () => {
      for (const response of stalled) response.destroy();
      stalled.clear();
    },
    requests,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([hub, storage].map(closed));
    },
  };
}

function serve(
  { headers }: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  trouble: Trouble | undefined,
  hasEtags: boolean,
): void {
  if (trouble !== undefined && "status" in trouble) {
    response
      .writeHead(trouble.status, trouble.retryAfter === undefined ? {} : { "retry-after": trouble.retryAfter })
      .end();
    return;
  }
  const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 20)}"`;
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
  const isPart = from > 0 && headers["if-range"] === etag;
  const body = isPart ? content.subarray(from) : content;
  if (isPart && body.length === 0) {
    response.writeHead(416, { "content-range": `bytes */${content.length}` }).end();
    return;
  }
  response.writeHead(isPart ? 206 : 200, {
    "content-length": body.length,
    ...(hasEtags ? { etag } : {}),
    ...(isPart ? { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
  });
  if (trouble === undefined) response.end(body);
  else if ("cutAfter" in trouble) response.write(body.subarray(0, trouble.cutAfter), () => response.destroy());
  else response.write(body.subarray(0, trouble.stallAfter));
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
