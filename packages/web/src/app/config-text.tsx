// A TOML file with the numbers of its lines, which are not copied along with it; or two of them as one, with what each has alone.
import { type ReactNode, useMemo, useState } from "react";
import { diff } from "./diff.ts";
import { Pieces } from "./said.tsx";

export function ConfigText({ text }: { readonly text: string }): ReactNode {
  const lines = useMemo(() => withoutLast(text).split("\n"), [text]);
  return (
    <pre className="lines" tabIndex={0} aria-label="The configuration">
      {lines.map((line, index) => (
        <span key={index} className="line" data-number={index + 1}>
          <TomlLine text={line} />
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

interface DiffProps {
  readonly before: string;
  readonly after: string;
}

/** Unchanged lines around a change that are shown. */
const around = 3;

export function ConfigDiff({ before, after }: DiffProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => numbered(before, after), [before, after]);
  const changed = rows.flatMap(({ kind }, index) => (kind === "same" ? [] : [index]));
  if (changed.length === 0) return <p className="notice">The two are the same.</p>;
  const isNear = (index: number): boolean => changed.some((one) => Math.abs(one - index) <= around);
  return (
    <>
      <p className="diff-count faint">
        {countOf(rows, "removed")} lines only in the first, {countOf(rows, "added")} only in the second.{" "}
        <button type="button" className="plain-link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show the changes" : "Show all lines"}
        </button>
      </p>
      <pre className="lines diff" tabIndex={0} aria-label="What differs between the configurations">
        {rows.map(({ kind, text, number }, index) => {
          if (!isWhole && !isNear(index)) return isNear(index + 1) ? <span key={index} className="gap" /> : null;
          const words = (
            <>
              <span className="unheard">{kind === "same" ? "" : kind === "added" ? "added: " : "removed: "}</span>
              <TomlLine text={text} />
              {"\n"}
            </>
          );
          return (
            <span key={index} className={`line ${kind}`} data-number={number}>
              {words}
            </span>
          );
        })}
      </pre>
    </>
  );
}

interface Row {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
  /** In the file that has it; in the second when both do. */
  readonly number: number;
}

function numbered(before: string, after: string): readonly Row[] {
  let [first, second] = [0, 0];
  return diff(withoutLast(before).split("\n"), withoutLast(after).split("\n")).flatMap(({ kind, parts }) =>
    parts.map((text) => {
      if (kind !== "added") first++;
      if (kind !== "removed") second++;
      return { kind, text, number: kind === "removed" ? first : second };
    }),
  );
}

function countOf(rows: readonly Row[], kind: Row["kind"]): number {
  return rows.filter((row) => row.kind === kind).length;
}

/** Tables stand out, comments step back. */
function TomlLine({ text }: { readonly text: string }): ReactNode {
  const key = /^(\s*[\w."-]+)(\s*=\s*)(.*)$/.exec(text);
  if (/^\s*\[/.test(text)) return <b>{<Pieces text={text} />}</b>;
  if (/^\s*#/.test(text)) return <span className="faint">{<Pieces text={text} />}</span>;
  if (key === null) return <Pieces text={text} />;
  return (
    <>
      <Pieces text={key[1] ?? ""} />
      <span className="faint">{key[2]}</span>
      <span className="value">
        <Pieces text={key[3] ?? ""} />
      </span>
    </>
  );
}

function withoutLast(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
