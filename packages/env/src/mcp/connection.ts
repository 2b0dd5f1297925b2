// One connection to one MCP server: started, its tools listed, its calls answered within a time limit. Errors say which kind they are:
// "mcp-start" it could not be connected to, "mcp-lost" it ended during a call, "mcp-late" it gave no answer, "mcp-refused" it answered with an error.
import { BoundaryError, HoneError, type Sandbox } from "@hone/core";
import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import { onAbort } from "../rollout/abort.ts";
import { addCallback } from "./callbacks.ts";
import { clientPackage } from "./packages.ts";
import { type McpServerOptions, redact, secretsOf } from "./servers.ts";
import { type Opened, openTransport } from "./transport.ts";

export interface ConnectOptions {
  readonly name: string;
  readonly server: McpServerOptions;
  readonly sandbox: Sandbox | undefined;
  readonly keepsAlive: boolean;
  readonly connectMs: number;
  readonly callMs: number;
  readonly signal: AbortSignal;
}

const alivenessMs = 2000;

export class Connection implements AsyncDisposable {
  readonly tools: readonly Tool[];
  readonly #client: Client;
  readonly #options: ConnectOptions;
  readonly #opened: Opened;

  constructor(client: Client, opened: Opened, tools: readonly Tool[], options: ConnectOptions) {
    this.#client = client;
    this.#opened = opened;
    this.tools = tools;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#client.transport !== undefined;
  }

  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    const { callMs, server } = this.#options;
    const own = new AbortController();
    const stop = onAbort(signal, () => own.abort(signal.reason));
    try {
      return await this.#client.callTool({ name: tool, arguments: input }, { timeout: callMs, signal: own.signal });
    } catch (error) {
      signal.throwIfAborted();
      if (isOfSandbox(error)) throw error;
      if (isLost(error)) throw await this.#lost(error);
      if (codeOf(error) === "REQUEST_TIMEOUT") throw await this.#late(tool, error);
      throw withoutSecrets(server, messageOf(error), error, (message, cause) => problem("mcp-refused", message, cause));
    } finally {
      stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.close();
  }

  async #lost(cause: unknown): Promise<HoneError> {
    await this.#opened.close();
    const code = this.#opened.exitCode();
    const how = code === undefined ? "was lost" : `ended (exit code ${code})`;
    return problem("mcp-lost", `The server ${this.#options.name} ${how} during the call.`, cause);
  }

  /** Was the call too slow, or does the server hang? Every server of tools can list them. */
  async #late(tool: string, cause: unknown): Promise<HoneError> {
    const { name, callMs } = this.#options;
    const message = `${tool} did not answer within ${callMs / 1000} s.`;
    try {
      await this.#client.listTools(undefined, { timeout: alivenessMs, cacheMode: "bypass" });
      return problem("mcp-late", message, cause);
    } catch {
      await this.#opened.close();
      return problem("mcp-late", `${message} The server ${name} answers nothing any more and was ended.`, cause);
    }
  }
}

/** Stands within `connectMs`, or nothing is left of it. */
export async function connect(options: ConnectOptions, mode: "legacy" | "auto" = "legacy"): Promise<Connection> {
  const { server, signal } = options;
  signal.throwIfAborted();
  let opened: Opened | undefined;
  try {
    opened = await openTransport(server, options);
    return await handshake(opened, options, mode);
  } catch (error) {
    await opened?.close();
    signal.throwIfAborted();
    // Most servers still open with `initialize`. One that knows only the later protocol answers it with an error, and is asked again in its way.
    if (mode === "legacy" && isAnswer(error)) return connect(options, "auto");
    throw unusable(options, error, opened?.notes() ?? "");
  }
}

async function handshake(opened: Opened, options: ConnectOptions, mode: "legacy" | "auto"): Promise<Connection> {
  const { connectMs, signal } = options;
  const { Client } = await clientPackage();
  const client = new Client({ name: "hone", version: "0.1.0" }, { versionNegotiation: { mode } });
  addCallback(client, "onerror", (error) => {
    // No other answer follows one that breaks off: without this the call would wait for its time limit.
    if (error.message.startsWith("SSE stream disconnected")) void client.close();
  });
  const own = new AbortController();
  const stop = onAbort(signal, () => own.abort(signal.reason));
  const timer = setTimeout(() => own.abort(new Error(`no answer within ${connectMs / 1000} s`)), connectMs);
  const limits = { timeout: 2 * connectMs, signal: own.signal };
  try {
    await client.connect(opened.transport, limits);
    const { tools } = await client.listTools(undefined, limits);
    return new Connection(client, opened, tools, options);
  } catch (error) {
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    stop();
    clearTimeout(timer);
  }
}

/** The server is there and said no: an error of the protocol, or a status of the kind "bad request". */
function isAnswer(error: unknown): boolean {
  const { status, code } = error as { readonly status?: unknown; readonly code?: unknown };
  if (typeof status === "number") return status >= 400 && status < 500 && status !== 401 && status !== 403;
  return typeof code === "number";
}

function isLost(error: unknown): boolean {
  const { status } = error as { readonly status?: unknown };
  if (typeof status === "number") return status === 404 || status >= 500; // 404: the session is not known any more
  if (error instanceof TypeError && error.message === "fetch failed") return true;
  return ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED", "mcp-lost"].includes(codeOf(error));
}

function isOfSandbox(error: unknown): boolean {
  return HoneError.is(error) && ("boundary" in error || error.code.startsWith("sandbox"));
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code);
}

/** A server that cannot be used may be usable in the next attempt; wrong options and a missing package stay as they are. */
function unusable({ name, server }: ConnectOptions, error: unknown, notes: string): unknown {
  if (isOfSandbox(error)) return new BoundaryError("sandbox", error);
  if (HoneError.is(error) && ["missing-package", "mcp-options"].includes(error.code)) return error;
  const said = [reasonOf(error), ...(notes === "" ? [] : [`it said: ${notes}`])].join("; ");
  return withoutSecrets(server, `The MCP server ${name} cannot be used: ${said}`, error, (message, cause) => {
    const hint = "Start it by hand, with the same command or address, to see why.";
    return new HoneError(message, { code: "mcp-start", hint, isRetryable: true, cause });
  });
}

/** Where a key had to be hidden, the error that spelt it out is not kept as the cause. */
function withoutSecrets(
  server: McpServerOptions,
  message: string,
  cause: unknown,
  make: (message: string, cause: unknown) => HoneError,
): HoneError {
  const hidden = redact(message, secretsOf(server));
  return make(hidden, hidden === message ? cause : undefined);
}

/** Of a failed fetch only the cause says what happened. */
function reasonOf(error: unknown): string {
  const cause = (error as { readonly cause?: unknown } | undefined)?.cause;
  const detail = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  return `${messageOf(error)}${detail}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function problem(code: string, message: string, cause: unknown): HoneError {
  return new HoneError(message, { code, cause });
}
