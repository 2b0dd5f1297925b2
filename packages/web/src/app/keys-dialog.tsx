// The keys, in a dialog of the browser's own: it keeps the focus and closes with Escape.
import { type ReactNode, useEffect, useRef } from "react";

const keys: readonly (readonly [string, string])[] = [
  ["1 … 5", "the tabs of a run: task, rollout, reward, sample, update"],
  ["/", "search the rollouts"],
  ["j  k", "next and previous rollout, or row"],
  ["Enter", "open the row"],
  ["n  p", "next and previous rollout of the group"],
  ["[  ]", "previous and next message"],
  ["v", "conversation, tokens, group"],
  ["m", "what was said as text or as Markdown"],
  ["u", "up: from a rollout to its run"],
  ["?", "this list"],
];

export function Keys({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl className="keys">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
