// HTTP over undici's Pool: connections are reused and bounded, one deadline covers headers and body, cancelling destroys the request.
// It moves bytes and knows no dialect: a reader is opened for each answer and decides what the bytes mean and when they are enough.
import { ModelError } from "@hone/core";
import { type Dispatcher, Pool } from "undici";
import { transportError } from "./errors.ts";

export interface Transport extends AsyncDisposable {
  /** Rejects with a ModelError, with what the reader threw, or with the signal's reason. */
  send<Result>(call: HttpCall, open: OpenReader<Result>, options: { readonly signal: AbortSignal }): Promise<Result>;
}
export interface HttpCall {
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: string;
}
export interface HttpHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
export type OpenReader<Result> = (head: HttpHead) => BodyReader<Result>;
export interface BodyReader<Result> {
  /** The result, when the rest of the body does not matter. */
  chunk(bytes: Buffer): { readonly result: Result } | undefined;
  end(): Result;
}

export interface TransportOptions {
  readonly origin: string;
  readonly maxConnections: number;
  readonly timeoutMs: number;
  /** Of one answer. */
  readonly maxBodyBytes: number;
}

const connectTimeoutMs = 10_000;
/** A body that has said all it had to may linger this long, so that its connection can be used again. */
const lingerMs = 1000;

export function createTransport({ origin, maxConnections, timeoutMs, maxBodyBytes }: TransportOptions): Transport {
  const pool = new Pool(origin, {
    connections: maxConnections,
    // The deadline below replaces both: undici's own restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs },
  });
  const host = new URL(origin).host;
  const send = <Result>(call: HttpCall, open: OpenReader<Result>, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<Result>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      let controller: Dispatcher.DispatchController | undefined;
      let reader: BodyReader<Result> | undefined;
      let timer: NodeJS.Timeout | undefined;
      let bytes = 0;
      let isSettled = false;

      const settle = (): void => {
        isSettled = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const fail = (error: unknown): void => {
        if (isSettled) return;
        settle();
        controller?.abort(new Error("abandoned"));
        reject(error);
      };
      const onAbort = (): void => fail(signal.reason);
      const succeed = (result: Result): void => {
        settle();
        resolve(result);
      };
      /** The reader is a stranger to the pool: what it throws must not reach undici's parser. */
      const guarded = (step: () => void): void => {
        try {
          if (!isSettled) step();
        } catch (error) {
          fail(error);
        }
      };
      signal.addEventListener("abort", onAbort, { once: true });

      pool.dispatch(
        { path: call.path, method: "POST", headers: call.headers as string[], body: call.body },
        {
          onRequestStart(started) {
            controller = started;
            if (isSettled) return started.abort(new Error("abandoned"));
            clearTimeout(timer);
            timer = setTimeout(() => fail(timeoutError(host, timeoutMs)), timeoutMs);
          },
          onResponseStart(_started, status, headers) {
            guarded(() => {
              if (status >= 200) reader = open({ status, headers });
            });
          },
          onResponseData(started, chunk) {
            bytes += chunk.length;
            guarded(() => {
              if (bytes > maxBodyBytes) throw tooLargeError(host, maxBodyBytes);
              const early = reader?.chunk(chunk);
              if (early === undefined) return;
              succeed(early.result);
              timer = setTimeout(() => started.abort(new Error("abandoned")), lingerMs);
              timer.unref();
            });
          },
          onResponseEnd() {
            guarded(() => {
              if (reader === undefined) throw transportError(new Error("no answer"), host);
              succeed(reader.end());
            });
            clearTimeout(timer);
          },
          onResponseError(_started, error) {
            clearTimeout(timer);
            fail(transportError(error, host));
          },
        },
      );
      return undefined;
    });
  return { send, [Symbol.asyncDispose]: () => pool.destroy() };
}

function timeoutError(host: string, timeoutMs: number): ModelError {
  return new ModelError(`${host} did not finish its answer within ${timeoutMs / 1000} s`, {
    code: "timeout",
    hint: "Raise timeout_seconds of the endpoint if its answers take that long.",
  });
}

function tooLargeError(host: string, maxBodyBytes: number): ModelError {
  return new ModelError(`${host} sent more than ${maxBodyBytes} bytes; the answer was refused`, {
    code: "invalid-response",
  });
}
