// What went wrong, as a ModelError with the code that retries and reports go by. Messages quote at most 200 characters of what a server said.
// Nothing here knows a key; client.ts scrubs every message on its way out.
import { HoneError, ModelError, type ModelErrorCode } from "@hone/core";
import { at, numberOrNone, parseJson, textOrNone } from "./wire.ts";

/** Said by servers whose context a prompt does not fit into, lower case. */
const contextPhrases = [
  "maximum context length",
  "context length",
  "context_length_exceeded",
  "context window",
  "exceed context limit",
  "maximum model length",
  "prompt_too_long",
  "prompt is too long",
  "input is too long",
  "exceeds the maximum number of tokens",
  "reduce the length of the messages",
];

const filterPhrases = ["content_filter", "content_policy_violation", "responsibleaipolicyviolation"];

/** Error types that servers name in a body, where no HTTP status says it. */
const codeByType: Readonly<Record<string, ModelErrorCode>> = {
  rate_limit_error: "rate-limit",
  rate_limit_exceeded: "rate-limit",
  authentication_error: "unauthorized",
  permission_error: "unauthorized",
  billing_error: "unauthorized",
  invalid_request_error: "bad-request",
  not_found_error: "bad-request",
  request_too_large: "bad-request",
  timeout_error: "timeout",
};

const hints: Readonly<Partial<Record<ModelErrorCode, string>>> = {
  unauthorized: "Check the variable named by `key` in endpoints.toml, and that the account may use this model.",
  "context-length": "The conversation no longer fits the model's context.",
};

/** An answer with a status other than 2xx. */
export function statusError(status: number, body: string, retryAfterMs?: number): ModelError {
  const parsed = parseJson(body);
  const code = codeFromStatus(status, body.toLowerCase());
  const hint = status === 404 ? "Check `model` and `base_url`; a base_url usually ends in /v1." : hints[code];
  return new ModelError(`HTTP ${status}: ${saidIn(parsed) ?? excerpt(body)}`, {
    code,
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** An error inside a body that arrived with status 200, or inside a stream. */
export function errorIn(body: unknown): ModelError | undefined {
  const error = at(body, "error");
  if (error === undefined || error === null || error === false) return undefined;
  const message = saidIn(body) ?? excerpt(JSON.stringify(error));
  const status = numberOrNone(at(error, "code")) ?? numberOrNone(at(error, "status"));
  const text = JSON.stringify(error).toLowerCase();
  const code = status === undefined || status < 400 ? codeFromTypes(error, text) : codeFromStatus(status, text);
  const hint = hints[code];
  return new ModelError(`the server reports: ${message}`, { code, ...(hint === undefined ? {} : { hint }) });
}

function codeFromStatus(status: number, text: string): ModelErrorCode {
  // OpenAI answers 429 when the account is out of money; waiting does not help.
  if (status === 429) return text.includes("insufficient_quota") ? "unauthorized" : "rate-limit";
  if (status === 401 || status === 402 || status === 403) return "unauthorized";
  if (status === 408) return "timeout";
  if (status === 409 || status >= 500) return "server";
  return requestCode(text);
}

function codeFromTypes(error: unknown, text: string): ModelErrorCode {
  const names = [at(error, "type"), at(error, "code")].flatMap((name) => textOrNone(name) ?? []);
  const known = names.flatMap((name) => (Object.hasOwn(codeByType, name) ? [codeByType[name]!] : []))[0];
  if (known === undefined) return contextPhrases.some((phrase) => text.includes(phrase)) ? "context-length" : "server";
  return known === "bad-request" ? requestCode(text) : known;
}

function requestCode(text: string): ModelErrorCode {
  if (contextPhrases.some((phrase) => text.includes(phrase))) return "context-length";
  return filterPhrases.some((phrase) => text.includes(phrase)) ? "content-filter" : "bad-request";
}

function saidIn(body: unknown): string | undefined {
  const error = at(body, "error");
  const said =
    textOrNone(at(error, "message")) ??
    textOrNone(error) ??
    textOrNone(at(body, "message")) ??
    textOrNone(at(body, "detail"));
  return said === undefined ? undefined : excerpt(said);
}

/** The first 200 characters, on one line. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, 2000)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line === "") return "(empty)";
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** What undici and the operating system say when a request breaks off. */
export function transportError(error: unknown, host: string): ModelError {
  const code = textOrNone(at(error, "code")) ?? (error instanceof Error ? error.name : "error");
  const cause = new Error(code);
  if (code === "UND_ERR_INVALID_ARG" || code === "ERR_INVALID_URL") {
    return new ModelError("the request cannot be sent: a header or the path is malformed", {
      code: "bad-request",
      cause,
    });
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HTTPParserError" || code.startsWith("HPE_")) {
    return new ModelError(`${host} does not answer in HTTP that can be read (${code})`, {
      code: "invalid-response",
      cause,
    });
  }
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return new ModelError(`${host} cut its answer short`, { code: "invalid-response", cause });
  }
  return new ModelError(`no connection to ${host} (${code})`, {
    code: "connection",
    cause,
    hint: "Check that the server runs and that `base_url` is right.",
  });
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. Undefined when absent or unreadable. */
export function retryAfter(headers: Readonly<Record<string, unknown>>, nowMs: number): number | undefined {
  const milliseconds = plainNumber(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const value = headers["retry-after"];
  const seconds = plainNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = typeof value === "string" && /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function plainNumber(value: unknown): number | undefined {
  return typeof value === "string" && /^\s*\d{1,12}(\.\d{1,12})?\s*$/.test(value) ? Number(value) : undefined;
}

export function isModelError(error: unknown): error is ModelError {
  return HoneError.is(error) && error.name === "ModelError";
}

/** The same error in other words. Its cause is kept only as words, because a foreign error may quote anything. */
export function reworded(
  error: ModelError,
  message: string,
  reword: (text: string) => string = (text) => text,
): ModelError {
  const { status, retryAfterMs, hint, cause } = error;
  return new ModelError(message, {
    code: error.code as ModelErrorCode,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(hint === undefined ? {} : { hint: reword(hint) }),
    ...(cause instanceof Error ? { cause: new Error(reword(cause.message)) } : {}),
  });
}
