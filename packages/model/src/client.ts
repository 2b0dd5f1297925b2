// A model behind HTTP: dialect x transport x retries. One client per endpoint; it owns the connections and is closed by whoever made it.
// Every failure leaves as a ModelError with the endpoint's name and without its key, except a cancellation, which leaves as the signal's reason.
import { setMaxListeners } from "node:events";
import {
  type CallOptions,
  type Completion,
  HoneError,
  type Model,
  ModelError,
  type ModelRequest,
  type Usage,
} from "@hone/core";
import { openReply } from "./body.ts";
import { createCarryMemory } from "./carry.ts";
import { dialectNamed } from "./dialect/index.ts";
import type { WireReply } from "./dialect/dialect.ts";
import { type Endpoint, endpointDefaults, type Price } from "./endpoint.ts";
import { isModelError, reworded } from "./errors.ts";
import { requestHeaders, sessionHeader } from "./headers.ts";
import { type RetryPolicy, type RetryTools, sleep, withRetries } from "./retry.ts";
import { createScrubber } from "./secrets.ts";
import { createTransport } from "./transport.ts";

export interface ClientOptions extends Partial<RetryTools> {
  /** Where keys come from: the process's environment unless told, with the values of an env_file if there is one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Waits between attempts, and the time that retrying may take. */
  readonly retry?: Partial<Omit<RetryPolicy, "maxAttempts">>;
  /** A larger answer is refused. */
  readonly maxResponseBytes?: number;
}

const defaultMaxResponseBytes = 134_217_728;
const carryCharacters = 67_108_864;

export function createClient(endpoint: Endpoint, options: ClientOptions = {}): Model & AsyncDisposable {
  const settings = { ...endpointDefaults, ...endpoint };
  const dialect = dialectNamed(settings);
  const { headers, secrets } = requestHeaders(endpoint, dialect, options.env ?? process.env);
  const scrub = createScrubber(secrets);
  const { origin, prefix, search } = baseOf(endpoint);
  const tools: RetryTools = {
    random: options.random ?? Math.random,
    now: options.now ?? Date.now,
    sleep: options.sleep ?? sleep,
  };
  const policy: RetryPolicy = {
    maxAttempts: settings.maxAttempts,
    totalMs: options.retry?.totalMs ?? 3 * settings.timeoutMs,
    baseMs: options.retry?.baseMs ?? 500,
    capMs: options.retry?.capMs ?? 30_000,
  };
  const memory = createCarryMemory({ maxCharacters: carryCharacters });
  const transport = createTransport({
    origin,
    maxConnections: settings.maxConnections,
    timeoutMs: settings.timeoutMs,
    maxBodyBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
  });
  let isClosed = false;

  const complete = async (request: ModelRequest, { signal }: CallOptions): Promise<Completion> => {
    signal.throwIfAborted();
    if (isClosed) throw closedError(endpoint);
    // Many calls under one signal are normal: it is a run's. Node would warn of a leak at the eleventh.
    setMaxListeners(0, signal);
    try {
      const { path, body } = dialect.toRequest(request, settings, memory.recall);
      const call = {
        path: prefix + path + search,
        headers: [...headers, ...sessionHeader(request.session)],
        body: JSON.stringify(body),
      };
      const attempt = async (): Promise<WireReply> => {
        const sending = transport.send(call, (head) => openReply(head, dialect, tools.now), { signal });
        const reply = await sending.catch((error: unknown) => {
          throw isClosed ? closedError(endpoint) : error;
        });
        check(reply.completion, settings);
        return reply;
      };
      const { completion, carry } = await withRetries(attempt, { policy, tools, signal });
      if (carry !== undefined) memory.remember(completion.message, carry);
      return { ...completion, usage: priced(completion.usage, endpoint.price) };
    } catch (error) {
      signal.throwIfAborted();
      throw outgoing(error, endpoint.name, scrub);
    }
  };
  return {
    name: endpoint.name,
    complete,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await transport[Symbol.asyncDispose]();
    },
  };
}

function closedError({ name }: Endpoint): HoneError {
  return new HoneError(`the client of ${name} is closed`, { code: "closed" });
}

/** A URL without a path gets /v1; the messages dialect always lives under /v1. */
function baseOf({ name, baseUrl, dialect }: Endpoint): Record<"origin" | "prefix" | "search", string> {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new HoneError(`the base URL of ${name} is not an http or https URL without a password`, {
      code: "bad-endpoint",
      hint: 'Write it as "https://host/v1".',
    });
  }
  const path = url.pathname.replace(/\/+$/, "");
  const needsVersion = path === "" || (dialect === "messages" && !path.endsWith("/v1"));
  return { origin: url.origin, prefix: needsVersion ? `${path}/v1` : path, search: url.search };
}

/** An empty reply with token ids is a policy that said nothing, which is trained on; any other is a fault of the server. */
function check({ message, finish, usage, tokens }: Completion, endpoint: Endpoint): void {
  if (endpoint.tokens === true && tokens === undefined) {
    throw new ModelError("the server gave no token ids, and the endpoint asks for them with tokens = true", {
      code: "bad-request",
      hint: "Use a vLLM that knows return_token_ids (0.10.2 or later), or leave tokens out.",
    });
  }
  const said = message.content !== "" || message.reasoning !== undefined || message.toolCalls !== undefined;
  if (said || tokens !== undefined || finish === "content-filter" || (usage.reasoningTokens ?? 0) > 0) return;
  throw new ModelError("the reply is empty: no content, no tool call, no reasoning", { code: "invalid-response" });
}

/** The server's own figure if it gave one. */
function priced(usage: Usage, price: Price | undefined): Usage {
  if (usage.costUsd !== undefined || price === undefined) return usage;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const input = (usage.inputTokens - cached) * price.input + cached * (price.cached ?? price.input);
  return { ...usage, costUsd: (input + usage.outputTokens * price.output) / 1e6 };
}

function outgoing(error: unknown, name: string, scrub: (text: string) => string): unknown {
  if (isModelError(error)) return reworded(error, scrub(`${name}: ${error.message}`), scrub);
  if (HoneError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ModelError(scrub(`${name}: the call failed: ${message}`), { code: "invalid-response" });
}
