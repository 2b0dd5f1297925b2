// Transports, clients and servers of the MCP packages tell each event to one function, kept in a property. This adds one without losing the other.

interface Callbacks {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** `listener` is called after whoever was there before. */
export function addCallback<Name extends keyof Callbacks>(
  target: Callbacks,
  name: Name,
  listener: NonNullable<Callbacks[Name]>,
): void {
  const before = target[name] as ((...event: unknown[]) => void) | undefined;
  const both = (...event: unknown[]): void => {
    before?.apply(target, event);
    (listener as (...event: unknown[]) => void)(...event);
  };
  target[name] = both as Callbacks[Name];
}
