// Which part of a page the address points to. The page is drawn after the browser has looked for it, so it is looked for again here.
import { useEffect, useSyncExternalStore } from "react";

const framesToSettle = 4;

/** The id after "#"; "" when there is none. */
export function useAimed(): string {
  const aimed = useSyncExternalStore(subscribe, () => location.hash.slice(1));
  useEffect(() => {
    if (aimed === "") return undefined;
    // What lies above is laid out as it comes near, and takes another height than was thought: a few frames until it is still.
    let frame = 0;
    const show = (left: number): void => {
      document.getElementById(aimed)?.scrollIntoView({ block: "start" });
      if (left > 0) frame = requestAnimationFrame(() => show(left - 1));
    };
    show(framesToSettle);
    return () => cancelAnimationFrame(frame);
  }, [aimed]);
  return aimed;
}

/** Without an entry in the history: stepping through messages is no journey. */
export function aimAt(id: string): void {
  history.replaceState(null, "", `#${id}`);
  dispatchEvent(new Event("hashchange"));
  document.getElementById(id)?.focus({ preventScroll: true });
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener("popstate", listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener("popstate", listener);
  };
}
