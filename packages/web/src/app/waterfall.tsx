// The time of a rollout as bars under each other, each where it began. A call leads to the message it made.
import { type ReactNode, useState } from "react";
import type { RolloutDetail } from "./rollout-types.ts";
import { formatDuration } from "./format.ts";
import { timeSpans } from "./time-spans.ts";

const shownFirst = 24;

export function Waterfall({ detail }: { readonly detail: RolloutDetail }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const total = Math.max(detail.timing.durationMs, 0.001);
  const spans = timeSpans(detail);
  const shown = isWhole ? spans : spans.slice(0, shownFirst);
  return (
    <>
      <table className="plain waterfall">
        <tbody>
          {shown.map(({ name, kind, fromMs, durationMs, node }, index) => (
            <tr key={index}>
              <th scope="row" title={name}>
                {node === undefined ? name : <a href={`#turn-${node}`}>{name}</a>}
              </th>
              <td>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    className={kind}
                    x={Math.min(99, (100 * fromMs) / total)}
                    width={Math.max(0.8, Math.min(100, (100 * durationMs) / total))}
                    height="8"
                  />
                </svg>
              </td>
              <td className="number">{formatDuration(durationMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < spans.length && (
        <button type="button" className="plain-link" onClick={() => setWhole(true)}>
          Show all {spans.length}
        </button>
      )}
    </>
  );
}
