// One line of the list of rollouts.
import { memo, type ReactNode } from "react";
import type { RunKind } from "./api-types.ts";
import type { RolloutItem } from "./rollout-types.ts";
import { formatCount, formatDuration, formatNumber } from "./format.ts";
import { Link } from "./router.tsx";
import { Excerpt } from "./said.tsx";

interface RowProps {
  readonly kind: RunKind;
  readonly item: RolloutItem;
  readonly to: string;
  readonly isAt: boolean;
}

export const RolloutRow = memo(function RolloutRow({ kind, item, to, isAt }: RowProps): ReactNode {
  return (
    <Link to={to} className={isAt ? "row at" : "row"}>
      <span className="number">
        <span className="unheard">{kind === "evals" ? "rollout " : "step "}</span>
        {kind === "evals" ? item.index : item.step}
      </span>
      <span className="clip wide">
        <Excerpt text={item.taskId} />
      </span>
      <span className="clip env wide">{item.env}</span>
      <span className="number strong">
        <span className="unheard">reward </span>
        {formatNumber(item.reward)}
      </span>
      <span className={item.hasFailed ? "clip bad" : "clip"}>
        {item.stop}
        {item.isTruncated && !item.stop.startsWith("limit") ? ", cut" : ""}
      </span>
      <span className="number turns">
        {item.turns}
        <span className="unheard"> turns</span>
      </span>
      <span className="number turns">
        {formatCount(item.outputTokens)}
        <span className="unheard"> tokens</span>
      </span>
      <span className="number turns">{formatDuration(item.durationMs)}</span>
      <span className="clip faint mono">
        <Excerpt text={item.excerpt ?? ""} />
      </span>
    </Link>
  );
});

export function RolloutHeads({ kind }: { readonly kind: RunKind }): ReactNode {
  return (
    <div className="row title" aria-hidden="true">
      <span className="number">{kind === "evals" ? "#" : "step"}</span>
      <span className="wide">task</span>
      <span className="env wide">environment</span>
      <span className="number">reward</span>
      <span>stop</span>
      <span className="number turns">turns</span>
      <span className="number turns">tokens</span>
      <span className="number turns">time</span>
      <span>last reply</span>
    </div>
  );
}
