// Waiting that can be called off.

/** Calls `listener` with the reason when the signal is aborted, at once if it already is. Gives a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => undefined;
  const listen = (): void => listener(signal.reason);
  if (signal.aborted) listen();
  else signal.addEventListener("abort", listen, { once: true });
  return () => signal.removeEventListener("abort", listen);
}
