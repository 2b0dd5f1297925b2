// Text that somebody else wrote. Always text nodes, never markup. A long text is shown in part, more of it when asked for, and laid out only where it
// is seen: ten megabytes in one message neither freeze the page nor come to it unasked.
import { type ReactNode, useMemo, useState } from "react";
import { formatBytes } from "./format.ts";
import { useLongTexts } from "./long-texts.tsx";
import { toBlocks, toPieces } from "./visible-text.ts";

const shownFirst = 20_000;
const shownMore = 1_000_000;

interface SaidProps {
  readonly text: string;
  readonly className?: string;
  /** Its place in the rollout, where the whole of it can be had when only the beginning was sent. */
  readonly at?: string;
}

export function Said({ text, className = "", at = "" }: SaidProps): ReactNode {
  const { cuts, load } = useLongTexts();
  const [loaded, setLoaded] = useState<string>();
  const [most, setMost] = useState(shownFirst);
  const [problem, setProblem] = useState("");
  const whole = loaded ?? text;
  const length = loaded === undefined ? (cuts[at] ?? text.length) : loaded.length;
  const blocks = useMemo(() => toBlocks(whole.slice(0, most), shownFirst), [whole, most]);
  const shown = blocks.reduce((sum, block) => sum + block.length, 0);
  const showMore = async (): Promise<void> => {
    try {
      if (whole.length < length) setLoaded(await load(at));
      setMost(most === shownFirst ? shownMore : most + shownMore);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <div className={`said ${className}`} dir="auto">
      {blocks.length === 1
        ? blocks.map((block) => <Pieces key="only" text={block} />)
        : blocks.map((block, index) => (
            <span key={index} className="block">
              <Pieces text={block} />
            </span>
          ))}
      {shown < length && (
        <button type="button" className="more" onClick={() => void showMore()}>
          {length <= shownMore
            ? `Show all ${formatBytes(length)} characters`
            : `Show more, ${formatBytes(shown)} of ${formatBytes(length)} characters are shown`}
        </button>
      )}
      {problem !== "" && <span className="bad">{problem}</span>}
    </div>
  );
}

/** One line of it, in a list. */
export function Excerpt({ text }: { readonly text: string }): ReactNode {
  return <Pieces text={text.replaceAll(/[\n\t]+/g, " ")} />;
}

export function Pieces({ text }: { readonly text: string }): ReactNode {
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
