// Asking the server. An answer that is no longer wanted is dropped; a failed question keeps the last answer and says what went wrong.
import { useEffect, useRef, useState } from "react";
import type { ApiProblem } from "./api-types.ts";

export interface Answer<Value> {
  readonly value: Value | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
}

export async function ask<Value>(path: string, signal?: AbortSignal): Promise<Value> {
  const response = await fetch(`/api${path}`, signal === undefined ? {} : { signal });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as Value;
  const { error, hint } = (body ?? {}) as Partial<ApiProblem>;
  throw new Error([error ?? `The server answered ${response.status}.`, hint].filter(Boolean).join(" "));
}

/** Where an answer is asked for again anyway: a run whose address was given out may begin at any moment. */
const failedMs = 2000;

export interface AnswerOptions<Value> {
  /** Asks again while the page is seen. */
  readonly refreshMs?: number | undefined;
  /** The same where an answer is not the last word. */
  readonly againMs?: (value: Value) => number | undefined;
  /** A new one asks again at once. */
  readonly version?: number;
}

/** `path` undefined asks nothing. */
export function useAnswer<Value>(
  path: string | undefined,
  { refreshMs, againMs, version = 0 }: AnswerOptions<Value> = {},
): Answer<Value> {
  const [answer, setAnswer] = useState<Answer<Value> & { readonly path?: string | undefined }>(nothing);
  const again = useRef(againMs);
  again.current = againMs;
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      let waitMs = refreshMs;
      try {
        if (!document.hidden || timer === undefined) {
          const value = await ask<Value>(path, stop.signal);
          waitMs ??= again.current?.(value);
          setAnswer({ value, error: undefined, isLoading: false, path });
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        const message = error instanceof TypeError ? "The server does not answer." : (error as Error).message;
        if (waitMs !== undefined) waitMs = Math.min(waitMs, failedMs);
        setAnswer((last) => ({
          value: last.path === path ? last.value : undefined,
          error: message,
          isLoading: false,
          path,
        }));
      }
      if (waitMs !== undefined && !stop.signal.aborted) timer = setTimeout(() => void look(), waitMs);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, refreshMs, version]);
  return answer.path === path ? answer : nothing;
}

const nothing: Answer<never> = { value: undefined, error: undefined, isLoading: true };

export async function post(path: string): Promise<void> {
  const response = await fetch(`/api${path}`, { method: "POST" });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
}
