// A scripted model as a local HTTP server in all dialects, streaming and not: what tests, examples and benchmarks call instead of a provider.
// Plain node:http and one JSON.parse and JSON.stringify per request, because a benchmark drives thousands of requests a second through it.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Model, type ModelErrorCode, HoneError } from "@hone/core";
import { type Script, scriptedModel, type ScriptedReply } from "@hone/core/testing";
import type { DialectName } from "../endpoint.ts";
import { isModelError } from "../errors.ts";
import { isObject, parseJson, type WireObject } from "../wire.ts";
import { type Answer, faultFor, type Faults, sendAnswer, sendSpoilt } from "./faults.ts";
import { respondChat } from "./respond-chat.ts";
import { respondCompletions } from "./respond-completions.ts";
import { respondMessages } from "./respond-messages.ts";
import { respondResponses } from "./respond-responses.ts";
import { BadRequest, type ServedDialect, type ServedFailure, withSession } from "./served.ts";

export interface ServeScriptedOptions {
  /** Any free one unless told. */
  readonly port?: number;
  /** All unless told. */
  readonly dialects?: readonly DialectName[];
  /** Without it every key, and none, is accepted. */
  readonly apiKey?: string;
  readonly faults?: Faults;
  /** A larger request is refused with 413. */
  readonly maxBodyBytes?: number;
}

export interface ScriptedServer extends AsyncDisposable {
  /** The base URL: http://127.0.0.1:PORT/v1 */
  readonly url: string;
  /** The last thousand, oldest first. */
  readonly requests: readonly RecordedRequest[];
  connections(): { readonly opened: number; readonly open: number };
  close(): Promise<void>;
}
export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: WireObject;
  /** "abandoned": the client was gone before the answer was. */
  readonly outcome: "pending" | "answered" | "abandoned";
}

const respond: Readonly<Record<DialectName, ServedDialect>> = {
  chat: respondChat,
  responses: respondResponses,
  messages: respondMessages,
  completions: respondCompletions,
};
const maxRecorded = 1000;

export async function serveScripted(
  script: Script | readonly (string | ScriptedReply)[] | Model,
  options: ServeScriptedOptions = {},
): Promise<ScriptedServer> {
  const model = typeof script === "object" && "complete" in script ? script : scriptedModel(script);
  const names = options.dialects ?? (Object.keys(respond) as DialectName[]);
  const byPath = new Map(names.map((name) => [respond[name].path, respond[name]]));
  const requests: { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }[] = [];
  let served = 0;
  let opened = 0;
  let open = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse, text: string): Promise<void> => {
    const path = request.url ?? "/";
    const dialect = request.method === "POST" ? byPath.get(path) : undefined;
    if (dialect === undefined) return sendAnswer(response, jsonAnswer(404, { error: { message: `no route ${path}` } }));
    const body = parseJson(text);
    if (!isObject(body))
      return sendAnswer(
        response,
        failed(dialect, { status: 400, code: "bad-json", message: "the body is not a JSON object" }),
      );
    const record: (typeof requests)[number] = { path, headers: request.headers, body, outcome: "pending" };
    if (requests.push(record) > maxRecorded) requests.shift();
    const index = served++;
    const cancel = new AbortController();
    response.once("close", () => {
      record.outcome = response.writableFinished ? "answered" : "abandoned";
      if (!response.writableFinished) cancel.abort(new Error("the client is gone"));
    });
    const given = isAllowed(request, options.apiKey)
      ? await replyTo({ dialect, body, index, headers: request.headers, model, signal: cancel.signal })
      : failed(dialect, { status: 401, code: "invalid_api_key", message: "the key is not the server's" });
    if (response.destroyed) return;
    const fault = faultFor(options.faults, index);
    if (fault === undefined) sendAnswer(response, given);
    else sendSpoilt(response, fault, given);
  };

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request, options.maxBodyBytes ?? 33_554_432);
    if (text !== undefined) return answer(request, response, text);
    response.once("finish", () => request.destroy());
    const refusal = jsonAnswer(413, { error: { message: "the request is too large" } });
    sendAnswer(response, { ...refusal, headers: { ...refusal.headers, connection: "close" } });
  };

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    opened++;
    open++;
    socket.once("close", () => open--);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    connections: () => ({ opened, open }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Undefined when it is larger than allowed. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) resolve(undefined);
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0]?.toString() : Buffer.concat(chunks).toString()));
    request.once("error", reject);
  });
}

function isAllowed(request: IncomingMessage, apiKey: string | undefined): boolean {
  const { authorization, "x-api-key": key } = request.headers;
  return apiKey === undefined || authorization === `Bearer ${apiKey}` || key === apiKey;
}

interface Asked {
  readonly dialect: ServedDialect;
  readonly body: WireObject;
  readonly index: number;
  readonly headers: IncomingHttpHeaders;
  readonly model: Model;
  readonly signal: AbortSignal;
}

async function replyTo({ dialect, body, index, headers, model, signal }: Asked): Promise<Answer> {
  try {
    const session = headers["x-session-id"];
    const request = withSession(dialect.read(body), typeof session === "string" ? decodeURI(session) : undefined);
    const reply = { id: String(index), body, completion: await model.complete(request, { signal }) };
    if (body["stream"] !== true) return jsonAnswer(200, dialect.write(reply));
    const headersOfStream = { "content-type": "text/event-stream", "cache-control": "no-cache" };
    return { status: 200, headers: headersOfStream, pieces: [...dialect.stream(reply)] };
  } catch (error) {
    return failed(dialect, failureOf(error), isModelError(error) ? error.retryAfterMs : undefined);
  }
}

const statuses: Readonly<Record<ModelErrorCode, number>> = {
  "rate-limit": 429,
  server: 500,
  timeout: 408,
  connection: 502,
  "invalid-response": 502,
  "context-length": 400,
  unauthorized: 401,
  "bad-request": 400,
  "content-filter": 400,
};

function failureOf(error: unknown): ServedFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof BadRequest) return { status: 400, code: "bad-request", message };
  if (!isModelError(error)) return { status: 500, code: HoneError.is(error) ? error.code : "server", message };
  const code = error.code as ModelErrorCode;
  if (code === "context-length")
    return { status: 400, code: "context_length_exceeded", message: `maximum context length: ${message}` };
  return { status: error.status ?? statuses[code], code: code === "content-filter" ? "content_filter" : code, message };
}

function failed(dialect: ServedDialect, failure: ServedFailure, retryAfterMs?: number): Answer {
  const answer = jsonAnswer(failure.status, dialect.error(failure));
  const wait = retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) };
  return { ...answer, headers: { ...answer.headers, ...wait } };
}

function jsonAnswer(status: number, body: object): Answer {
  return { status, headers: { "content-type": "application/json" }, pieces: [JSON.stringify(body)] };
}
