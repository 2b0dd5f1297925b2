// The rollout reader: what was said on the left, what it was worth on the right; tokens and the group as other views of the same.
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ask, useAnswer } from "./api.ts";
import type { RunKind } from "./api-types.ts";
import type { Neighbours, RolloutDetail, RolloutLink } from "./rollout-types.ts";
import { Conversation } from "./conversation.tsx";
import { formatCount, formatNumber } from "./format.ts";
import { GroupView } from "./group-view.tsx";
import { LongTextsOf } from "./long-texts.tsx";
import { MarkdownSwitch } from "./markdown-view.tsx";
import { RolloutAside } from "./rollout-aside.tsx";
import { Link, navigate, pathOf, setQuery, useAddress } from "./router.tsx";
import { Excerpt } from "./said.tsx";
import { Scoring } from "./scoring.tsx";
import { TokenView } from "./token-view.tsx";
import { aimAt } from "./use-aimed.ts";
import { useKeys } from "./use-keys.ts";

interface RolloutPageProps {
  readonly kind: RunKind;
  readonly name: string;
  readonly step: number;
  readonly id: string;
}

const views = ["conversation", "tokens", "group"] as const;
type View = (typeof views)[number];
/** How soon a list that is still being read is asked for again. */
const partialMs = 1000;
const aheadMs = 150;

export function RolloutPage({ kind, name, step, id }: RolloutPageProps): ReactNode {
  const { query } = useAddress();
  const path = pathOf(kind, name, "rollouts", step, id);
  const { value, error } = useAnswer<RolloutDetail>(path);
  // The list that it was opened from: its order and filters are gone through, not those of the file.
  const list = query.get("in") ?? "";
  const { value: listed, error: listError } = useAnswer<Neighbours>(
    list === "" ? undefined : `${path}/neighbours?${list}`,
    { againMs: ({ isIndexed }) => (isIndexed ? undefined : partialMs) },
  );
  // The last one stays on screen while the next is read: moving through rollouts does not flicker.
  const [shown, setShown] = useState<RolloutDetail>();
  useEffect(() => {
    if (value !== undefined) setShown(value);
  }, [value]);
  const detail = value ?? shown;
  const actualStep = value?.item.step ?? step;
  useEffect(() => {
    // It was made again in another step: the address says where it is.
    if (actualStep !== step) {
      navigate(pathOf(kind, name, "rollouts", actualStep, id) + location.search, { replace: true });
    }
  }, [actualStep, step, kind, name, id]);
  const around = list === "" || listError !== undefined ? value : listed;
  const view = views.find((one) => one === query.get("view")) ?? "conversation";
  const isMarkdown = query.get("as") === "markdown";
  const up = `${pathOf(kind, name)}?${new URLSearchParams({ tab: "rollout" }).toString()}${list === "" ? "" : `&${list}`}`;
  const kept = new URLSearchParams([...query].filter(([key]) => key !== "of")).toString();
  const linkTo = (link: RolloutLink): string =>
    pathOf(kind, name, "rollouts", link.step, link.id) + (kept === "" ? "" : `?${kept}`);
  const keys = useMemo(() => {
    const always = {
      u: () => navigate(up),
      m: () => setQuery({ as: isMarkdown ? "" : "markdown" }),
      "]": () => stepTurn(1),
      "[": () => stepTurn(-1),
    };
    // While the next one is read, its neighbours are not known: a key then does nothing rather than go astray.
    if (value === undefined) return always;
    const go = (link: RolloutLink | null | undefined) => () => {
      if (link !== null && link !== undefined) navigate(linkTo(link));
    };
    const at = value.group.findIndex((item) => item.id === id);
    const next = views[(views.indexOf(view) + 1) % views.length] ?? "conversation";
    return {
      ...always,
      j: go(around?.next),
      ArrowRight: go(around?.next),
      k: go(around?.previous),
      ArrowLeft: go(around?.previous),
      n: go(value.group[at + 1]),
      p: go(value.group[at - 1]),
      v: () => setQuery({ view: next === "conversation" ? "" : next }),
    };
  }, [value, around, id, view, up, kept, isMarkdown]);
  useKeys(keys);
  useEffect(() => {
    // The neighbour is asked for ahead, once this one is drawn: the next key press finds it in the server's files already.
    const next = around?.next;
    if (!next) return undefined;
    const aheadPath = pathOf(kind, name, "rollouts", next.step, next.id);
    const timer = setTimeout(() => void ask(aheadPath).catch(() => undefined), aheadMs);
    return () => clearTimeout(timer);
  }, [around, kind, name]);

  if (detail === undefined || error !== undefined) {
    return (
      <p className={`notice ${error === undefined ? "" : "bad"}`}>
        {error ?? "Loading"} <Link to={up}>All rollouts</Link>
      </p>
    );
  }
  const { item } = detail;
  const shownPath = pathOf(kind, name, "rollouts", item.step, item.id);
  return (
    <article className="reader" aria-busy={value === undefined || around === undefined}>
      <div className="head">
        <p className="crumbs">
          <Link to={`/${kind}`}>{kind === "runs" ? "Runs" : "Evals"}</Link>
          <Link to={up}>{name}</Link>
          {kind === "runs" && <Link to={`${pathOf(kind, name)}?tab=rollout&step=${item.step}`}>step {item.step}</Link>}
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
        <button
          type="button"
          aria-pressed={isMarkdown}
          aria-keyshortcuts="m"
          title="Lay out what was said as Markdown (m)"
          disabled={view === "tokens"}
          onClick={() => setQuery({ as: isMarkdown ? "" : "markdown" })}
        >
          Markdown
        </button>
        <nav className="segments" aria-label="Rollouts">
          <Neighbour link={around?.previous ?? null} to={linkTo} label="Previous rollout" keyName="k" text="←" />
          <Neighbour link={around?.next ?? null} to={linkTo} label="Next rollout" keyName="j" text="→" />
        </nav>
        {listed?.position != null && (
          <span className="faint number" title={`In the list: ${list}`}>
            {formatCount(listed.position)} of {formatCount(listed.total)}
          </span>
        )}
      </div>
      <MarkdownSwitch value={isMarkdown}>
        <LongTextsOf key={shownPath} path={shownPath} cuts={detail.cuts}>
          {view === "group" ? (
            <GroupView kind={kind} name={name} detail={detail} linkTo={linkTo} />
          ) : (
            <div className="split">
              {view === "tokens" ? (
                <TokenView detail={detail} path={shownPath} />
              ) : (
                <div>
                  <Conversation detail={detail} />
                  <Scoring detail={detail} />
                </div>
              )}
              <RolloutAside detail={detail} linkTo={linkTo} />
            </div>
          )}
        </LongTextsOf>
      </MarkdownSwitch>
    </article>
  );
}

/** To the message before or after the one that the address points to. */
function stepTurn(by: 1 | -1): void {
  const at = Number(/^#turn-(\d+)$/.exec(location.hash)?.[1] ?? (by === 1 ? "-1" : "1"));
  const id = `turn-${at + by}`;
  if (document.getElementById(id) !== null) aimAt(id);
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
