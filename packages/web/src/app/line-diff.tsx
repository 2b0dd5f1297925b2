// Two texts of several lines beside each other: lines that both have stand level, those of one alone have its mark. On a narrow screen what is missing
// stands above what should be there.
import { type ReactNode, useMemo } from "react";
import { diff } from "./diff.ts";
import { Pieces } from "./said.tsx";

interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeName: string;
  readonly afterName: string;
}

/** Lines that belong side by side: the same in both, or what each has alone in one place. */
interface Stretch {
  readonly isSame: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function LineDiff({ before, after, beforeName, afterName }: LineDiffProps): ReactNode {
  const stretches = useMemo(() => stretchesOf(before, after), [before, after]);
  let [first, second] = [1, 1];
  return (
    <div className="line-diff" tabIndex={0} role="group" aria-label={`${beforeName} beside ${afterName}`}>
      <p className="names" aria-hidden="true">
        <span>{beforeName}</span>
        <span>{afterName}</span>
      </p>
      {stretches.map((stretch, index) => {
        const [left, right] = [first, second];
        first += stretch.before.length;
        second += stretch.after.length;
        return stretch.isSame ? (
          <div key={index} className="stretch same">
            <Lines lines={stretch.before} from={left} isCopy />
            <Lines lines={stretch.after} from={right} />
          </div>
        ) : (
          <div key={index} className="stretch">
            <del>
              <Lines lines={stretch.before} from={left} />
            </del>
            <ins>
              <Lines lines={stretch.after} from={right} />
            </ins>
          </div>
        );
      })}
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly string[];
  readonly from: number;
  /** Said once is enough. */
  readonly isCopy?: boolean;
}

function Lines({ lines, from, isCopy = false }: LinesProps): ReactNode {
  return (
    <pre aria-hidden={isCopy} dir="auto">
      {lines.map((line, index) => (
        <span key={index} className="line" data-number={from + index}>
          <Pieces text={line} />
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function stretchesOf(before: string, after: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const { kind, parts } of diff(before.split("\n"), after.split("\n"))) {
    const last = stretches.at(-1);
    if (kind === "same") stretches.push({ isSame: true, before: parts, after: parts });
    else if (kind === "added" && last?.isSame === false) stretches[stretches.length - 1] = { ...last, after: parts };
    else if (kind === "added") stretches.push({ isSame: false, before: [], after: parts });
    else stretches.push({ isSame: false, before: parts, after: [] });
  }
  return stretches;
}
