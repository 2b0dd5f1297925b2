// Exactly what the policy saw and said, token by token. Sampled tokens are tinted by how unlikely they were, or by the policy that sampled them.
import { type ReactNode, useState } from "react";
import type { RolloutDetail, RolloutNode, TokenColumns } from "./api-types.ts";
import { formatCount, formatNumber } from "./format.ts";
import { toPieces } from "./visible-text.ts";

type Tint = "probability" | "policy";
const mostShown = 8000;
/** Upper bounds of the probability classes, from the least likely. */
const bounds = [0.01, 0.1, 0.5, 0.9, 1.01];
const labels = ["under 1 %", "1 to 10 %", "10 to 50 %", "50 to 90 %", "over 90 %"];

export function TokenView({ detail }: { readonly detail: RolloutDetail }): ReactNode {
  const [tint, setTint] = useState<Tint>("probability");
  const withTokens = detail.nodes.flatMap((node, index) =>
    node.tokens === undefined ? [] : [{ node, index, tokens: node.tokens }],
  );
  if (withTokens.length === 0) {
    return <p className="notice">No tokens were recorded: the model behind this rollout gives only text.</p>;
  }
  const versions = [...new Set(withTokens.flatMap(({ tokens }) => tokens.versions.values))].sort((a, b) => a - b);
  const hasTexts = withTokens.some(({ tokens }) => tokens.texts !== null);
  const sampled = withTokens.flatMap(({ tokens }) => tokens.logprobs);
  const mean = sampled.reduce((sum, value) => sum + value, 0) / Math.max(1, sampled.length);
  return (
    <div className="tokens-view">
      <div className="controls">
        <div className="segments" role="group" aria-label="Tint by">
          {(["probability", "policy"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={tint === one} onClick={() => setTint(one)}>
              {one === "probability" ? "Probability" : "Policy version"}
            </button>
          ))}
        </div>
        <span className="legend">
          {tint === "probability"
            ? labels.map((label, index) => (
                <span key={label} className="entry">
                  <span className={`token p${index}`}>a</span> {label}
                </span>
              ))
            : versions.map((version, index) => (
                <span key={version} className="entry">
                  <span className={`token v${index % 4}`}>a</span> policy {version}
                </span>
              ))}
        </span>
      </div>
      <p className="faint">
        {formatCount(sampled.length)} sampled tokens, mean logprob {formatNumber(mean)}.{" "}
        {hasTexts
          ? "Grey is what the model was given."
          : "The tokenizer is not known here, so ids are shown. Grey is what the model was given."}
      </p>
      {withTokens.map(({ node, index, tokens }) => (
        <NodeTokens key={index} node={node} index={index} tokens={tokens} tint={tint} versions={versions} />
      ))}
    </div>
  );
}

interface NodeProps {
  readonly node: RolloutNode;
  readonly index: number;
  readonly tokens: TokenColumns;
  readonly tint: Tint;
  readonly versions: readonly number[];
}

function NodeTokens({ node, index, tokens, tint, versions }: NodeProps): ReactNode {
  const { ids, sampledFrom, logprobs, texts } = tokens;
  const versionAt = expand(tokens);
  return (
    <section className="turn tokens" aria-label={`Tokens of message ${index}`}>
      <header>
        <span className="who">{node.sampled ? "model" : node.message.role}</span>
        <span className="faint number">
          {formatCount(ids.length)} tokens, {formatCount(logprobs.length)} sampled
        </span>
      </header>
      <div className={texts === null ? "token-text ids" : "token-text"} dir="auto">
        {ids.slice(0, mostShown).map((id, at) => {
          const logprob = logprobs[at - sampledFrom];
          const text = texts?.[at] ?? String(id);
          if (at < sampledFrom || logprob === undefined) {
            return (
              <span key={at} className="token given" title={`id ${id}`}>
                <TokenText text={text} />
              </span>
            );
          }
          const probability = Math.exp(logprob);
          const version = versionAt[at - sampledFrom] ?? 0;
          const kind =
            tint === "probability"
              ? `p${bounds.findIndex((bound) => probability < bound)}`
              : `v${Math.max(0, versions.indexOf(version)) % 4}`;
          return (
            <span
              key={at}
              className={`token ${kind}`}
              title={`id ${id}, probability ${formatNumber(probability)}, logprob ${formatNumber(logprob)}, policy ${version}`}
            >
              <TokenText text={text} />
            </span>
          );
        })}
        {ids.length > mostShown && (
          <p className="faint">
            The first {formatCount(mostShown)} of {formatCount(ids.length)} are shown.
          </p>
        )}
      </div>
    </section>
  );
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

function expand({ versions: { values, lengths } }: TokenColumns): readonly number[] {
  return values.flatMap((value, index) => Array.from<number>({ length: lengths[index] ?? 0 }).fill(value));
}
