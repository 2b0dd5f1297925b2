// The rollout reader: what was said on the left, what it was worth on the right; tokens and the group as other views of the same.
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ask, useAnswer } from "./api.ts";
import type { RolloutDetail, RolloutLink, RunKind } from "./api-types.ts";
import { Conversation } from "./conversation.tsx";
import { formatNumber } from "./format.ts";
import { GroupView } from "./group-view.tsx";
import { RolloutAside } from "./rollout-aside.tsx";
import { Link, navigate, pathOf, setQuery, useAddress } from "./router.tsx";
import { Excerpt } from "./said.tsx";
import { TokenView } from "./token-view.tsx";
import { useKeys } from "./use-keys.ts";

interface RolloutPageProps {
  readonly kind: RunKind;
  readonly name: string;
  readonly step: number;
  readonly id: string;
}

const views = ["conversation", "tokens", "group"] as const;
type View = (typeof views)[number];

export function RolloutPage({ kind, name, step, id }: RolloutPageProps): ReactNode {
  const { query } = useAddress();
  const { value, error } = useAnswer<RolloutDetail>(pathOf(kind, name, "rollouts", step, id));
  // The last one stays on screen while the next is read: moving through rollouts does not flicker.
  const [shown, setShown] = useState<RolloutDetail>();
  useEffect(() => {
    if (value !== undefined) setShown(value);
  }, [value]);
  const detail = value ?? shown;
  const view = views.find((one) => one === query.get("view")) ?? "conversation";
  const up = `${pathOf(kind, name)}?tab=rollout`;
  const linkTo = (link: RolloutLink): string => {
    return pathOf(kind, name, "rollouts", link.step, link.id) + (view === "conversation" ? "" : `?view=${view}`);
  };
  const keys = useMemo(() => {
    // While the next one is read, its neighbours are not known: a key then does nothing rather than go astray.
    if (value === undefined) return { u: () => navigate(up) };
    const go = (link: RolloutLink | null | undefined) => () => {
      if (link !== null && link !== undefined) navigate(linkTo(link));
    };
    const at = value.group.findIndex((item) => item.id === id);
    const next = views[(views.indexOf(view) + 1) % views.length] ?? "conversation";
    return {
      j: go(value.next),
      ArrowRight: go(value.next),
      k: go(value.previous),
      ArrowLeft: go(value.previous),
      n: go(value.group[at + 1]),
      p: go(value.group[at - 1]),
      v: () => setQuery({ view: next === "conversation" ? "" : next }),
      u: () => navigate(up),
    };
  }, [value, id, view, up]);
  useKeys(keys);
  useEffect(() => {
    // The neighbours are asked for ahead: the next key press finds them in the server's files already.
    if (value?.next) void ask(pathOf(kind, name, "rollouts", value.next.step, value.next.id)).catch(() => undefined);
  }, [value, kind, name]);

  if (detail === undefined || error !== undefined) {
    return (
      <p className={`notice ${error === undefined ? "" : "bad"}`}>
        {error ?? "Loading"} <Link to={up}>All rollouts</Link>
      </p>
    );
  }
  const { item } = detail;
  return (
    <article className="reader" aria-busy={value === undefined}>
      <div className="head">
        <p className="crumbs">
          <Link to={`/${kind}`}>{kind === "runs" ? "Runs" : "Evals"}</Link>
          <Link to={up}>{name}</Link>
          {kind === "runs" && <Link to={`${up}&step=${item.step}`}>step {item.step}</Link>}
        </p>
        <h1>
          <Excerpt text={item.taskId} /> <span className="faint">#{item.index}</span>
        </h1>
        <span className="reward-mark" title="Reward">
          {formatNumber(item.reward)}
        </span>
        <span className="space" />
        <div className="segments" role="group" aria-label="View">
          {views.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === view}
              onClick={() => setQuery({ view: one === "conversation" ? "" : one })}
            >
              {titles[one]}
            </button>
          ))}
        </div>
        <nav className="segments" aria-label="Rollouts">
          <Neighbour link={detail.previous} to={linkTo} label="Previous rollout" keyName="k" text="←" />
          <Neighbour link={detail.next} to={linkTo} label="Next rollout" keyName="j" text="→" />
        </nav>
      </div>
      {view === "group" ? (
        <GroupView kind={kind} name={name} detail={detail} />
      ) : (
        <div className="split">
          {view === "tokens" ? <TokenView detail={detail} /> : <Conversation detail={detail} />}
          <RolloutAside detail={detail} linkTo={linkTo} />
        </div>
      )}
    </article>
  );
}

const titles: Readonly<Record<View, string>> = { conversation: "Conversation", tokens: "Tokens", group: "Group" };

interface NeighbourProps {
  readonly link: RolloutLink | null;
  readonly to: (link: RolloutLink) => string;
  readonly label: string;
  readonly keyName: string;
  readonly text: string;
}

function Neighbour({ link, to, label, keyName, text }: NeighbourProps): ReactNode {
  return (
    <button
      type="button"
      disabled={link === null}
      aria-label={label}
      aria-keyshortcuts={keyName}
      title={`${label} (${keyName})`}
      onClick={() => {
        if (link !== null) navigate(to(link));
      }}
    >
      {text}
    </button>
  );
}
