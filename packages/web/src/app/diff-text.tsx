// Two texts with what only one of them has: short ones under each other, texts of several lines beside each other, line by line. Not by colour alone: what
// only the first has is struck out or has a minus, what only the second has is underlined or has a plus.
import { type ReactNode, useMemo } from "react";
import { type Change, diffTexts } from "./diff.ts";
import { LineDiff } from "./line-diff.tsx";
import { Pieces } from "./said.tsx";

/** Longer texts are compared by their beginnings. */
const most = 20_000;
/** From so many lines on, words of two texts among each other cannot be read. */
const fewLines = 3;

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeName: string;
  readonly afterName: string;
}

export function DiffText({ before, after, beforeName, afterName }: DiffProps): ReactNode {
  const isCut = before.length > most || after.length > most;
  const isByLine = [before, after].some((text) => text.trim().split("\n", fewLines + 1).length > fewLines);
  const names = { beforeName, afterName };
  const texts = { before: before.slice(0, most), after: after.slice(0, most) };
  return (
    <div className="diff-text">
      {isCut && <p className="faint">The beginnings are compared.</p>}
      {isByLine ? <LineDiff {...texts} {...names} /> : <WordDiff {...texts} {...names} />}
    </div>
  );
}

function WordDiff({ before, after, beforeName, afterName }: DiffProps): ReactNode {
  const changes = useMemo(() => diffTexts(before, after), [before, after]);
  return (
    <dl className="word-diff">
      <div>
        <dt>{beforeName}</dt>
        <dd className="said code" dir="auto">
          <Side changes={changes} kind="removed" />
        </dd>
      </div>
      <div>
        <dt>{afterName}</dt>
        <dd className="said code" dir="auto">
          <Side changes={changes} kind="added" />
        </dd>
      </div>
    </dl>
  );
}

/** One of the two texts whole, with what the other one lacks. */
function Side({
  changes,
  kind,
}: {
  readonly changes: readonly Change[];
  readonly kind: "removed" | "added";
}): ReactNode {
  return changes.map((change, index) => {
    const words = <Pieces key={index} text={change.parts.join("")} />;
    if (change.kind === "same") return words;
    if (change.kind !== kind) return null;
    return kind === "removed" ? <del key={index}>{words}</del> : <ins key={index}>{words}</ins>;
  });
}
