// What the server looks at, for whoever sees less than they expected: the folder, what in it is no run, and where to start it rather.
import type { ReactNode } from "react";
import { useAnswer } from "./api.ts";
import type { RootFacts, RunKind } from "./api-types.ts";
import { formatCount } from "./format.ts";
import { Excerpt } from "./said.tsx";

const refreshMs = 15_000;

interface NotesProps {
  readonly kind: RunKind;
  /** Undefined while the list is not known. */
  readonly count: number | undefined;
}

export function RootNotes({ kind, count }: NotesProps): ReactNode {
  const { value } = useAnswer<RootFacts>("/root", { refreshMs });
  if (count === undefined || value === undefined) return null;
  const { root, advice } = value;
  const strangers = value.strangers[kind];
  return (
    <>
      {count === 0 && (
        <div className="notice">
          <p>
            There {kind === "runs" ? "are no runs" : "are no evaluations"} in <code>{`${root}/${kind}`}</code> yet.
          </p>
          {advice === null ? (
            <p>
              Make one with <code>{kind === "runs" ? "hone train" : "hone eval"}</code> in <code>{root}</code>; it
              appears here by itself.
            </p>
          ) : (
            <p className="warn">{advice}</p>
          )}
        </div>
      )}
      {strangers.count > 0 && (
        <p className="strangers faint">
          {strangers.count === 1 ? "One entry" : `${formatCount(strangers.count)} entries`} of <code>{kind}/</code>{" "}
          {strangers.count === 1 ? "is" : "are"} not shown, having no <code>run.toml</code>:{" "}
          <Excerpt text={strangers.names.join(", ")} />
          {strangers.count > strangers.names.length ? " …" : ""}
        </p>
      )}
    </>
  );
}
