// How a rollout was scored: each reward with its weight and what it adds, the answer beside what is right, what the judges were asked and said, and
// what the rewards had to look at.
import type { ReactNode } from "react";
import type { AgentResult, Json } from "@hone/core";
import { AgainstGold } from "./against-gold.tsx";
import type { RolloutDetail } from "./rollout-types.ts";
import { formatNumber } from "./format.ts";
import { JudgeTranscripts } from "./judge-transcripts.tsx";
import { Said } from "./said.tsx";

export function Scoring({ detail }: { readonly detail: RolloutDetail }): ReactNode {
  const { agents, task, state } = detail;
  return (
    <section className="scoring" aria-labelledby="scoring">
      <h2 id="scoring">How it was scored</h2>
      {agents.map((agent) => (
        <Sum key={agent.name} agent={agent} isAlone={agents.length === 1} />
      ))}
      <AgainstGold detail={detail} />
      <JudgeTranscripts info={detail.info} />
      <Inputs title="The task" value={task} at="task" />
      <Inputs title="The state at the end" value={state} at="state" />
    </section>
  );
}

function Sum({ agent, isAlone }: { readonly agent: AgentResult; readonly isAlone: boolean }): ReactNode {
  const rewards = Object.entries(agent.rewards);
  const parts = rewards.map(([, { value, weight }]) => value * weight);
  const [least, most] = [Math.min(0, ...parts), Math.max(0, ...parts)];
  return (
    <table className="sum">
      {!isAlone && <caption>{agent.name}</caption>}
      <thead>
        <tr>
          <th scope="col">Reward</th>
          <th scope="col" className="number">
            Value
          </th>
          <th scope="col" className="number">
            Weight
          </th>
          <th scope="col" className="number">
            Adds
          </th>
          <th>
            <span className="unheard">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rewards.map(([name, { value, weight }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="number">{formatNumber(value)}</td>
            <td className="number faint">{formatNumber(weight, 2)}</td>
            <td className="number">{formatNumber(value * weight)}</td>
            <td>
              <Part value={value * weight} least={least} most={most} />
            </td>
          </tr>
        ))}
        <tr className="total-row">
          <th scope="row">reward</th>
          <td />
          <td />
          <td className="number strong">{formatNumber(agent.reward)}</td>
          <td className="faint">{agent.reward === null ? "it was not scored" : ""}</td>
        </tr>
      </tbody>
    </table>
  );
}

interface PartProps {
  readonly value: number;
  /** Of all parts, and 0. */
  readonly least: number;
  readonly most: number;
}

/** From where nothing is added: what is taken away goes left. */
function Part({ value, least, most }: PartProps): ReactNode {
  const scale = 99 / Math.max(1e-9, most - least);
  const [from, to] = [Math.min(0, value), Math.max(0, value)].map((end) => (end - least) * scale);
  const zero = 0.5 - least * scale;
  return (
    <svg className="part" viewBox="0 0 100 8" width="100" height="8" aria-hidden="true">
      <line x1={zero} x2={zero} y1="0" y2="8" />
      <rect className={value < 0 ? "minus" : "plus"} x={0.5 + (from ?? 0)} width={(to ?? 0) - (from ?? 0)} height="8" />
    </svg>
  );
}

function Inputs({
  title,
  value,
  at,
}: {
  readonly title: string;
  readonly value: Json;
  readonly at: string;
}): ReactNode {
  if (value === null || (typeof value === "object" && Object.keys(value).length === 0)) return null;
  const fields =
    typeof value === "object" && !Array.isArray(value) ? Object.entries(value as Readonly<Record<string, Json>>) : [];
  return (
    <details className="fold" open>
      <summary>{title}</summary>
      {fields.length === 0 ? (
        <Said text={plain(value)} className="code" at={at} />
      ) : (
        <dl className="inputs">
          {fields.map(([name, field]) => (
            <div key={name}>
              <dt>
                <Said text={name} className="inline" />
              </dt>
              <dd>
                <Said
                  text={plain(field)}
                  className="code"
                  at={`${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}

function plain(value: Json): string {
  if (typeof value === "string") return value;
  const short = JSON.stringify(value);
  return short.length < 100 ? short : JSON.stringify(value, null, 2);
}
