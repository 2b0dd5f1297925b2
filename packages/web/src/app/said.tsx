// Text that somebody else wrote. Always text nodes, never markup; long texts are shown in part until asked for.
import { type ReactNode, useMemo, useState } from "react";
import { formatBytes } from "./format.ts";
import { toPieces } from "./visible-text.ts";

const shownFirst = 20_000;

export function Said({ text, className = "" }: { readonly text: string; readonly className?: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > shownFirst;
  const shown = isLong && !isWhole ? text.slice(0, shownFirst) : text;
  return (
    <div className={`said ${className}`} dir="auto">
      <Pieces text={shown} />
      {isLong && !isWhole && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show all {formatBytes(text.length)} characters
        </button>
      )}
    </div>
  );
}

/** One line of it, in a list. */
export function Excerpt({ text }: { readonly text: string }): ReactNode {
  return <Pieces text={text.replaceAll(/[\n\t]+/g, " ")} />;
}

function Pieces({ text }: { readonly text: string }): ReactNode {
  const pieces = useMemo(() => toPieces(text), [text]);
  return pieces.map((piece, index) =>
    piece.hidden === undefined ? (
      piece.text
    ) : (
      <span key={index} className="unseen" title={`A character that cannot be seen: ${piece.hidden}`}>
        {piece.hidden}
      </span>
    ),
  );
}
