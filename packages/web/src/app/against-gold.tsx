// A reply beside one that is right: what only one of them has, turn by turn where there are several. A help for the eye; what a reward compared is the
// environment's business.
import { type ReactNode, useMemo, useState } from "react";
import type { RolloutDetail } from "./rollout-types.ts";
import { DiffText } from "./diff-text.tsx";
import { findAnswer } from "./find-answer.ts";
import { type GoldPair, goldPairs } from "./gold-pairs.ts";
import { useLongTexts } from "./long-texts.tsx";
import { Said } from "./said.tsx";

export function AgainstGold({ detail }: { readonly detail: RolloutDetail }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const { gold, task, nodes } = detail;
  const found = useMemo(() => goldPairs({ gold, task, nodes }), [gold, task, nodes]);
  if (found === undefined) return null;
  const { field, pairs, missing } = found;
  const inside = [...new Set(pairs.flatMap(({ reply }) => findAnswer(reply).inside ?? []))];
  const right = field === undefined ? "what is right" : `the task's ${field}`;
  return (
    <div className="against">
      <h3>
        {pairs.length === 0 ? "What would have been right" : "The answer against "}
        {pairs.length > 0 && (field === undefined ? right : <>the task's {<code>{field}</code>}</>)}
      </h3>
      {inside.length > 0 && (
        <p className="faint">
          {!isWhole && (
            <>
              Compared: what is inside <code>{inside.join(", ")}</code>.{" "}
            </>
          )}
          <button type="button" className="plain-link" onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Compare what is inside ${inside.join(", ")}` : "Compare the whole reply"}
          </button>
        </p>
      )}
      {pairs.map((pair) => (
        <Pair key={pair.node} pair={pair} right={right} isWhole={isWhole} />
      ))}
      {pairs.length > 0 && missing.length > 0 && (
        <p className="faint">
          It ended before turn {pairs.length + 1} of {pairs.length + missing.length}.
        </p>
      )}
      {pairs.length === 0 && missing.map((text, index) => <Said key={index} text={text} className="code boxed" />)}
    </div>
  );
}

interface PairProps {
  readonly pair: GoldPair;
  readonly right: string;
  readonly isWhole: boolean;
}

function Pair({ pair: { turn, node, reply, gold }, right, isWhole }: PairProps): ReactNode {
  const { cuts } = useLongTexts();
  const answer = findAnswer(reply);
  const isPart = answer.inside !== undefined && !isWhole;
  const given = isPart ? answer.text : reply;
  const wanted = isPart ? findAnswer(gold).text : gold;
  const isEqual = given.trim() === wanted.trim();
  return (
    <section className="pair">
      {turn !== undefined && (
        <h4>
          <a href={`#turn-${node}`}>Turn {turn}</a>
          {isEqual && <span className="good">the same</span>}
        </h4>
      )}
      {cuts[`nodes/${node}/message/content`] !== undefined ? (
        // An answer stands at the end of a reply: where that was not sent, a comparison would mislead.
        <p className="faint">The reply is too long to be compared here.</p>
      ) : (
        (turn === undefined || !isEqual) && (
          <>
            {isEqual && <p className="faint">They are the same.</p>}
            {given.trim() === "" && <p className="faint">The reply says nothing.</p>}
            <DiffText before={given} after={wanted} beforeName="the reply" afterName={right} />
          </>
        )
      )}
    </section>
  );
}
