// One rollout among others: its reward, and what was said in it. It asks for its conversation when it comes into sight.
import { type ReactNode, useRef, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RolloutDetail, RolloutItem } from "./rollout-types.ts";
import { formatCount, formatNumber } from "./format.ts";
import { LongTextsOf } from "./long-texts.tsx";
import { MessageBody } from "./message-body.tsx";
import { Link } from "./router.tsx";
import { useSeen } from "./use-seen.ts";

interface ColumnProps {
  /** In the API. */
  readonly path: string;
  readonly to: string;
  readonly item: RolloutItem;
  readonly isCurrent?: boolean;
  readonly hasStep?: boolean;
  /** Messages at the beginning that all of them share; those before the first reply unless given. */
  readonly skip?: number;
}

export function RolloutColumn({
  path,
  to,
  item,
  isCurrent = false,
  hasStep = false,
  ...props
}: ColumnProps): ReactNode {
  const place = useRef<HTMLElement>(null);
  const isSeen = useSeen(place);
  // What was seen once stays.
  const [isWanted, setWanted] = useState(false);
  if (isSeen && !isWanted) setWanted(true);
  const { value } = useAnswer<RolloutDetail>(isWanted ? path : undefined);
  const skip = props.skip ?? Math.max(0, value?.nodes.findIndex(({ sampled }) => sampled) ?? 0);
  return (
    <section ref={place} role="listitem" className={isCurrent ? "column current" : "column"}>
      <header>
        <Link to={to} isCurrent={isCurrent}>
          #{item.index}
        </Link>
        <span className="total">{formatNumber(item.reward)}</span>
        <span className={item.hasFailed ? "bad" : "faint"}>{item.stop}</span>
        <span className="faint number">
          {hasStep ? `step ${item.step}, ` : ""}
          {formatCount(item.outputTokens)} tokens
        </span>
      </header>
      {value !== undefined && (
        <LongTextsOf path={path} cuts={value.cuts}>
          {value.nodes.slice(skip).map(({ message, sampled }, index) => (
            <div key={index} className={`turn ${message.role}`}>
              <header>
                <span className="who">{sampled ? "model" : message.role}</span>
              </header>
              <MessageBody message={message} at={`nodes/${skip + index}/message`} />
            </div>
          ))}
        </LongTextsOf>
      )}
    </section>
  );
}
