// Two texts as one, with what only one of them has. Not by colour alone: what is missing is struck out, what should be there underlined.
import { type ReactNode, useMemo } from "react";
import { diffTexts } from "./diff.ts";
import { Pieces } from "./said.tsx";

/** Longer texts are compared by their beginnings. */
const most = 20_000;

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeName: string;
  readonly afterName: string;
}

export function DiffText({ before, after, beforeName, afterName }: DiffProps): ReactNode {
  const changes = useMemo(() => diffTexts(before.slice(0, most), after.slice(0, most)), [before, after]);
  const isCut = before.length > most || after.length > most;
  return (
    <div className="diff-text">
      <p className="legend">
        <del>only in {beforeName}</del> <ins>only in {afterName}</ins>
        {isCut && <span className="faint">The beginnings are compared.</span>}
      </p>
      <div className="said code" dir="auto">
        {changes.map(({ kind, parts }, index) => {
          const words = <Pieces key={index} text={parts.join("")} />;
          if (kind === "same") return words;
          return kind === "removed" ? <del key={index}>{words}</del> : <ins key={index}>{words}</ins>;
        })}
      </div>
    </div>
  );
}
