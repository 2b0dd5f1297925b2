// Task ← data: one GET, with its redirects. The hub's token goes to the hub's own origin and nowhere else, whatever redirects say.
// Invariant: no error and no file ever holds a token or a query string (signed addresses are credentials).
import { HoneError } from "@hone/core";
import { type DataMachine, hubEndpoint } from "./machine.ts";

const retriedStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const mostRedirects = 8;

export interface Answer {
  readonly response: Response;
  /** Headers of every hop, the last one winning: the hub puts a file's SHA-256 on the redirect to its storage. */
  readonly headers: ReadonlyMap<string, string>;
  /** Call on every sign of life; silence longer than the patience ends the request. */
  readonly alive: () => void;
  readonly done: () => void;
}

/** Worth another try, perhaps after the time the server asked for. */
export class FetchFailure extends HoneError {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number | undefined } = {}) {
    super(message, {
      code: "download",
      hint: "Check the connection. A mirror is set with HF_ENDPOINT, local copies with HONE_DATA=<folder>.",
      isRetryable: true,
      cause: options.cause,
    });
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface GetOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly machine: DataMachine;
  readonly signal: AbortSignal | undefined;
}

/** Answers with 200, 206 or, where a range was asked for, 416; or throws: FetchFailure for what may pass, HoneError for what will not. */
export async function get({ url, headers = {}, machine, signal }: GetOptions): Promise<Answer> {
  const stall = new AbortController();
  const { stallMs } = machine.patience;
  const timer = setTimeout(() => stall.abort(new FetchFailure(`${shown(url)}: no byte for ${stallMs} ms.`)), stallMs);
  const any = signal === undefined ? stall.signal : AbortSignal.any([signal, stall.signal]);
  const seen = new Map<string, string>();
  try {
    let at = new URL(url);
    for (let hop = 0; hop <= mostRedirects; hop++) {
      const all = { "accept-encoding": "identity", ...headers, ...authorisation(at, machine) };
      const response = await fetch(at, { headers: all, redirect: "manual", signal: any });
      timer.refresh();
      response.headers.forEach((value, name) => seen.set(name, value));
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null) {
        const isAnswer = [200, 206].includes(response.status) || (response.status === 416 && "range" in headers);
        if (!isAnswer) throw await refusal(at, response);
        return { response, headers: seen, alive: () => void timer.refresh(), done: () => clearTimeout(timer) };
      }
      await response.body?.cancel();
      at = new URL(location, at);
    }
    throw new HoneError(`${shown(url)} redirects in circles.`, { code: "download" });
  } catch (error) {
    clearTimeout(timer);
    throw asFailure(error, url, signal);
  }
}

/** The caller's abort as it is, our own errors as they are, anything else as a failure worth retrying. */
export function asFailure(error: unknown, url: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (HoneError.is(error)) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new FetchFailure(`${shown(url)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause: error });
}

/** Tries again after a growing, jittered wait, or the one the server asked for. */
export async function withRetries<T>(
  machine: DataMachine,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!HoneError.is(error) || !error.isRetryable || failures >= machine.patience.attempts) throw error;
      await machine.sleep(waitMs(error, failures, machine), signal);
    }
  }
}

export function waitMs(error: HoneError, failures: number, { patience, random }: DataMachine): number {
  const asked = "retryAfterMs" in error && typeof error.retryAfterMs === "number" ? error.retryAfterMs : 0;
  const grown = patience.retryMs * 2 ** (failures - 1) * (0.5 + random());
  return Math.min(60_000, Math.max(asked, grown));
}

/** Without query, fragment, user and password. */
export function shown(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function authorisation(url: URL, machine: DataMachine): Readonly<Record<string, string>> {
  const token = machine.env["HF_TOKEN"];
  if (token === undefined || token === "" || url.origin !== hubEndpoint(machine).origin) return {};
  return { authorization: `Bearer ${token}` };
}

async function refusal(url: URL, response: Response): Promise<HoneError> {
  await response.body?.cancel();
  const { status } = response;
  const message = `${shown(url)} answered ${status}.`;
  if (retriedStatuses.has(status)) {
    return new FetchFailure(message, { retryAfterMs: retryAfter(response.headers.get("retry-after")) });
  }
  const isDenied = status === 401 || status === 403;
  const hint = isDenied ? "Set HF_TOKEN to a token that may read it." : "Check the name, the config and the split.";
  return new HoneError(message, { code: isDenied ? "unauthorized" : "download-refused", hint });
}

function retryAfter(value: string | null): number | undefined {
  const seconds = value === null ? Number.NaN : Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
