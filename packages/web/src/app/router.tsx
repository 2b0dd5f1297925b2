// Addresses of the page. Every view, tab, filter and rollout has one, so that it can be sent to someone.
import { type MouseEvent, type ReactNode, useSyncExternalStore } from "react";

export interface Address {
  /** Decoded parts of the path. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const changed = "hone-address";

export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const url = new URL(href, location.origin);
  return { parts: url.pathname.split("/").filter(Boolean).map(decode), query: url.searchParams };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener("popstate", listener);
  addEventListener(changed, listener);
  return () => {
    removeEventListener("popstate", listener);
    removeEventListener(changed, listener);
  };
}

export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace === true) history.replaceState(null, "", to);
  else {
    history.pushState(null, "", to);
    scrollTo(0, 0);
  }
  dispatchEvent(new Event(changed));
}

/** Changes some of the query and keeps the rest; an empty value takes the key away. */
export function setQuery(change: Readonly<Record<string, string>>): void {
  const url = new URL(location.href);
  for (const [key, value] of Object.entries(change)) {
    if (value === "") url.searchParams.delete(key);
    else url.searchParams.set(key, value);
  }
  navigate(url.pathname + url.search, { replace: true });
}

export function pathOf(...parts: readonly (string | number)[]): string {
  return `/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly label?: string;
  readonly isCurrent?: boolean;
}

export function Link({ to, children, className, label, isCurrent }: LinkProps): ReactNode {
  const onClick = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={to}
      onClick={onClick}
      className={className}
      aria-label={label}
      aria-current={isCurrent === true ? "page" : undefined}
    >
      {children}
    </a>
  );
}
