// The numbers of the token under the pointer.
import type { ReactNode } from "react";
import { formatNumber, formatPercent } from "./format.ts";
import { Excerpt } from "./said.tsx";
import type { TokenFacts } from "./token-tints.ts";

export interface PointedToken {
  /** Its position in the message. */
  readonly at: number;
  readonly id: number;
  readonly text: string | undefined;
  /** Absent when the model was given it. */
  readonly facts: TokenFacts | undefined;
}

export function TokenInspector({ pointed }: { readonly pointed: PointedToken | undefined }): ReactNode {
  if (pointed === undefined) {
    return <p className="inspector faint">Point at a token for its numbers, or go through them with the arrow keys.</p>;
  }
  const { at, id, text, facts } = pointed;
  return (
    <dl className="inspector">
      <Fact name="token">
        {text === undefined ? "" : <q>{<Excerpt text={text.replaceAll("\n", "↵")} />}</q>}{" "}
        <span className="faint">{id}</span>
      </Fact>
      <Fact name="position">{at}</Fact>
      {facts === undefined ? (
        <Fact name="sampled">no, it was given</Fact>
      ) : (
        <>
          <Fact name="probability">
            {facts.probability < 0.001 ? formatNumber(facts.probability) : formatPercent(facts.probability)}
          </Fact>
          <Fact name="logprob">{formatNumber(facts.logprob)}</Fact>
          {facts.advantage !== undefined && <Fact name="advantage">{formatNumber(facts.advantage)}</Fact>}
          {facts.weight !== undefined && <Fact name="weight">{formatNumber(facts.weight, 4)}</Fact>}
          {facts.reference !== undefined && <Fact name="reference logprob">{formatNumber(facts.reference)}</Fact>}
          <Fact name="policy">{facts.version}</Fact>
        </>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="number">{children}</dd>
    </div>
  );
}
