// All rollouts of a task side by side, best first: what made the difference.
import { type ReactNode, useEffect, useState } from "react";
import { ask } from "./api.ts";
import type { RolloutDetail, RolloutItem, RunKind } from "./api-types.ts";
import { Body } from "./conversation.tsx";
import { formatCount, formatNumber } from "./format.ts";
import { Link, pathOf } from "./router.tsx";

interface GroupProps {
  readonly kind: RunKind;
  readonly name: string;
  readonly detail: RolloutDetail;
}

export function GroupView({ kind, name, detail }: GroupProps): ReactNode {
  const { group, nodes, item } = detail;
  const shared = nodes.findIndex(({ sampled }) => sampled);
  const prompt = nodes.slice(0, shared < 0 ? nodes.length : shared);
  return (
    <>
      <details className="fold" open>
        <summary>Prompt</summary>
        {prompt.map(({ message }, index) => (
          <div key={index} className={`turn ${message.role}`}>
            <header>
              <span className="who">{message.role}</span>
            </header>
            <Body message={message} />
          </div>
        ))}
      </details>
      <div className="columns" role="list" aria-label="Rollouts of this group" tabIndex={0}>
        {group.map((one) => (
          <Column key={one.id} kind={kind} name={name} item={one} isCurrent={one.id === item.id} skip={prompt.length} />
        ))}
      </div>
    </>
  );
}

interface ColumnProps {
  readonly kind: RunKind;
  readonly name: string;
  readonly item: RolloutItem;
  readonly isCurrent: boolean;
  readonly skip: number;
}

function Column({ kind, name, item, isCurrent, skip }: ColumnProps): ReactNode {
  const [loaded, setLoaded] = useState<RolloutDetail>();
  const path = pathOf(kind, name, "rollouts", item.step, item.id);
  useEffect(() => {
    const stop = new AbortController();
    ask<RolloutDetail>(path, stop.signal).then(setLoaded, () => undefined);
    return () => stop.abort();
  }, [path]);
  return (
    <section role="listitem" className={isCurrent ? "column current" : "column"}>
      <header>
        <Link to={path}>#{item.index}</Link>
        <span className="total">{formatNumber(item.reward)}</span>
        <span className={item.hasFailed ? "bad" : "faint"}>{item.stop}</span>
        <span className="faint number">{formatCount(item.outputTokens)} tokens</span>
      </header>
      {loaded?.nodes.slice(skip).map(({ message, sampled }, index) => (
        <div key={index} className={`turn ${message.role}`}>
          <header>
            <span className="who">{sampled ? "model" : message.role}</span>
          </header>
          <Body message={message} />
        </div>
      ))}
    </section>
  );
}
