// Exactly what the policy saw and said, token by token. Sampled tokens are tinted by how unlikely they were, by the credit that an update gave them, or
// by the policy that sampled them; what is known of the token under the pointer stands above.
import { type KeyboardEvent, memo, type ReactNode, useMemo, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RolloutDetail, TokenColumns, TokenPage } from "./rollout-types.ts";
import { formatCount, formatNumber } from "./format.ts";
import { setQuery, useAddress } from "./router.tsx";
import { TokenInspector, type PointedToken } from "./token-inspector.tsx";
import { factsOf, legendOf, type Tint, tintOf } from "./token-tints.ts";
import { toPieces } from "./visible-text.ts";

const tints = ["probability", "credit", "policy"] as const;
const titles: Readonly<Record<Tint, string>> = {
  probability: "Probability",
  credit: "Credit",
  policy: "Policy version",
};
const shownAtOnce = 4000;

interface TokenViewProps {
  readonly detail: RolloutDetail;
  /** Of the rollout, in the API. */
  readonly path: string;
}

export function TokenView({ detail, path }: TokenViewProps): ReactNode {
  const { value, error } = useAnswer<TokenPage>(`${path}/tokens`);
  const { query } = useAddress();
  const [pointed, setPointed] = useState<PointedToken>();
  const tint = tints.find((one) => one === query.get("tint")) ?? "probability";
  const versions = useMemo(
    () => [...new Set((value?.nodes ?? []).flatMap(({ tokens }) => tokens.versions.values))].sort((a, b) => a - b),
    [value],
  );
  if (value === undefined) return <p className={`notice ${error === undefined ? "" : "bad"}`}>{error ?? "Loading"}</p>;
  if (value.nodes.length === 0) {
    const why =
      value.lost > 0
        ? "Tokens were recorded, but the file that holds them was cut off or taken away."
        : "No tokens were recorded: the model behind this rollout gives only text.";
    return <p className="notice">{why}</p>;
  }
  const sampled = value.nodes.flatMap(({ tokens }) => tokens.logprobs);
  const mean = sampled.reduce((sum, one) => sum + one, 0) / Math.max(1, sampled.length);
  const hasTexts = value.nodes.some(({ tokens }) => tokens.texts !== null);
  return (
    <div className="tokens-view">
      <div className="tokens-head">
        <div className="controls">
          <div className="segments" role="group" aria-label="Tint by">
            {tints.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={tint === one}
                onClick={() => setQuery({ tint: one === "probability" ? "" : one })}
              >
                {titles[one]}
              </button>
            ))}
          </div>
          <span className="legend">
            {legendOf(tint, versions).map(({ className, label }) => (
              <span key={label} className="entry">
                <span className={`token ${className}`} aria-hidden="true">
                  a
                </span>{" "}
                {label}
              </span>
            ))}
          </span>
        </div>
        <div aria-live="polite">
          <TokenInspector pointed={pointed} />
        </div>
      </div>
      <p className="faint">
        {formatCount(sampled.length)} sampled tokens, mean logprob {formatNumber(mean)}.{" "}
        {value.trainedIn === null ? "No update trained on them. " : `Update ${value.trainedIn} trained on them. `}
        {hasTexts ? "" : "The tokenizer is not known here, so ids are shown. "}
        Grey is what the model was given.
      </p>
      {value.nodes.map(({ node, tokens }) => (
        <NodeTokens
          key={node}
          name={detail.nodes[node]?.sampled === true ? "model" : (detail.nodes[node]?.message.role ?? "")}
          index={node}
          tokens={tokens}
          tint={tint}
          versions={versions}
          onPoint={setPointed}
        />
      ))}
    </div>
  );
}

interface NodeProps {
  readonly name: string;
  readonly index: number;
  readonly tokens: TokenColumns;
  readonly tint: Tint;
  readonly versions: readonly number[];
  readonly onPoint: (token: PointedToken) => void;
}

/** Remembered: pointing at a token draws the inspector again, not thousands of tokens. */
const NodeTokens = memo(({ name, index, tokens, tint, versions, onPoint }: NodeProps): ReactNode => {
  const [most, setMost] = useState(shownAtOnce);
  const { ids, sampledFrom, logprobs, texts } = tokens;
  const facts = useMemo(() => factsOf(tokens), [tokens]);
  // One listener for all tokens of a message: there may be thousands.
  const point = ({ target }: { readonly target: EventTarget }): void => {
    const at = Number((target as HTMLElement).closest<HTMLElement>("[data-at]")?.dataset["at"] ?? "-1");
    const id = ids[at];
    if (id !== undefined) onPoint({ at, id, text: texts?.[at], facts: facts[at - sampledFrom] });
  };
  return (
    <section className="turn tokens" aria-label={`Tokens of message ${index}`}>
      <header>
        <span className="who">{name}</span>
        <span className="faint number">
          {formatCount(ids.length)} tokens, {formatCount(logprobs.length)} sampled
        </span>
      </header>
      <div
        className={texts === null ? "token-text ids" : "token-text"}
        dir="auto"
        role="group"
        tabIndex={0}
        aria-label={`Tokens of message ${index}, arrow keys go through them`}
        onMouseOver={point}
        onFocus={point}
        onKeyDown={stepTokens}
      >
        {ids.slice(0, most).map((id, at) => {
          const own = facts[at - sampledFrom];
          const kind = own === undefined ? "given" : tintOf(tint, own, versions);
          return (
            <span key={at} data-at={at} tabIndex={-1} className={`token ${kind}`}>
              <TokenText text={texts?.[at] ?? String(id)} />
            </span>
          );
        })}
      </div>
      {ids.length > most && (
        <button type="button" className="more" onClick={() => setMost(most + shownAtOnce)}>
          Show more, {formatCount(most)} of {formatCount(ids.length)} tokens are shown
        </button>
      )}
    </section>
  );
});

/** The arrow keys go from token to token. */
function stepTokens(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const at = Number((event.target as HTMLElement).dataset["at"] ?? (by === 1 ? "-1" : "0"));
  event.currentTarget.querySelector<HTMLElement>(`[data-at="${at + by}"]`)?.focus();
}

/** A newline is shown and made; a space keeps its width. */
function TokenText({ text }: { readonly text: string }): ReactNode {
  return toPieces(text).map((piece, index) =>
    piece.hidden === undefined ? (
      piece.text.replaceAll("\n", "↵\n")
    ) : (
      <span key={index} className="unseen">
        {piece.hidden}
      </span>
    ),
  );
}
