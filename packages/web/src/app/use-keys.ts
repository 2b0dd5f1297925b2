// Keys for the whole page. Not while someone types, not with a modifier: those belong to the browser; not where a part of the page has taken the key.
import { useEffect } from "react";

export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null;
      const isTyping = target?.matches("input, textarea, select, [contenteditable]") ?? false;
      const isTaken = event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey;
      if (isTaken || (isTyping && event.key !== "Escape")) return;
      const action = keys[event.key];
      if (action === undefined) return;
      if (isTyping) target?.blur();
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [keys]);
}
