// All rollouts of a task side by side, best first: what made the difference. Those of the group, or every one that the run made of the task.
import type { ReactNode } from "react";
import { useAnswer } from "./api.ts";
import type { RunKind } from "./api-types.ts";
import type { RolloutDetail, RolloutItem, RolloutPage } from "./rollout-types.ts";
import { formatCount, formatNumber } from "./format.ts";
import { MessageBody } from "./message-body.tsx";
import { RolloutColumn } from "./rollout-column.tsx";
import { pathOf, setQuery, useAddress } from "./router.tsx";

const mostShown = 100;
const [fewTokens, fewTurns] = [120, 3];

interface GroupProps {
  readonly kind: RunKind;
  readonly name: string;
  readonly detail: RolloutDetail;
  readonly linkTo: (item: RolloutItem) => string;
}

export function GroupView({ kind, name, detail, linkTo }: GroupProps): ReactNode {
  const { group, nodes, item } = detail;
  const { query } = useAddress();
  const isAll = query.get("of") === "task";
  const asked = new URLSearchParams({ task: item.taskId, env: item.env, sort: "-reward", limit: String(mostShown) });
  const { value } = useAnswer<RolloutPage>(`${pathOf(kind, name)}/rollouts?${asked.toString()}`);
  const shown = isAll && value !== undefined ? value.items : group;
  // Short ones are all seen at once; long ones are read side by side.
  const isShort = shown.every(({ outputTokens, turns }) => outputTokens <= fewTokens && turns <= fewTurns);
  const first = nodes.findIndex(({ sampled }) => sampled);
  const prompt = nodes.slice(0, first < 0 ? nodes.length : first);
  return (
    <>
      <div className="controls">
        <div className="segments" role="group" aria-label="Which rollouts">
          <button type="button" aria-pressed={!isAll} onClick={() => setQuery({ of: "" })}>
            This group, {formatCount(group.length)}
          </button>
          <button type="button" aria-pressed={isAll} onClick={() => setQuery({ of: "task" })}>
            All of this task{value === undefined ? "" : `, ${formatCount(value.total)}`}
          </button>
        </div>
        <Spread rewards={shown.map(({ reward }) => reward)} />
        {isAll && value !== undefined && value.total > mostShown && (
          <span className="faint">The best {mostShown} are shown.</span>
        )}
      </div>
      <details className="fold" open>
        <summary>Prompt</summary>
        {prompt.map(({ message }, index) => (
          <div key={index} className={`turn ${message.role}`}>
            <header>
              <span className="who">{message.role}</span>
            </header>
            <MessageBody message={message} at={`nodes/${index}/message`} />
          </div>
        ))}
      </details>
      <div
        className={isShort ? "columns short" : "columns"}
        role="list"
        aria-label="Rollouts of this task, best first"
        tabIndex={0}
      >
        {shown.map((one) => (
          <RolloutColumn
            key={`${one.step} ${one.id}`}
            path={pathOf(kind, name, "rollouts", one.step, one.id)}
            to={linkTo(one)}
            item={one}
            isCurrent={one.id === item.id && one.step === item.step}
            hasStep={isAll && kind === "runs"}
            skip={prompt.length}
          />
        ))}
      </div>
    </>
  );
}

function Spread({ rewards }: { readonly rewards: readonly (number | null)[] }): ReactNode {
  const scored = rewards.filter((reward) => reward !== null);
  if (scored.length === 0) return null;
  const mean = scored.reduce((sum, reward) => sum + reward, 0) / scored.length;
  return (
    <span className="faint number">
      mean {formatNumber(mean)}, from {formatNumber(Math.min(...scored))} to {formatNumber(Math.max(...scored))}
    </span>
  );
}
