// What a rollout was worth, how it went, and what it was compared with.
import type { ReactNode } from "react";
import type { Json } from "@hone/core";
import type { RolloutDetail, RolloutLink } from "./rollout-types.ts";
import { formatCount, formatDuration, formatNumber } from "./format.ts";
import { outcomeName, outcomeReason } from "./outcome.ts";
import { Link } from "./router.tsx";
import { Said } from "./said.tsx";
import { Waterfall } from "./waterfall.tsx";

interface AsideProps {
  readonly detail: RolloutDetail;
  readonly linkTo: (link: RolloutLink) => string;
}

export function RolloutAside({ detail, linkTo }: AsideProps): ReactNode {
  const { item, agents, group, outcome, timing } = detail;
  const most = Math.max(1, ...group.map(({ reward }) => reward ?? 0));
  const { judges: _judges, ...other } = detail.info;
  return (
    <aside aria-label="About this rollout">
      {agents.map((agent) => (
        <section key={agent.name}>
          <h2>
            Rewards {agents.length > 1 && <span className="faint">{agent.name}</span>}
            <span className="total">{formatNumber(agent.reward)}</span>
          </h2>
          <table className="plain">
            <tbody>
              {Object.entries(agent.rewards).map(([name, { value, weight }]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td className="faint number">{weight === 1 ? "" : `× ${formatNumber(weight, 2)}`}</td>
                  <td className="number">{formatNumber(value)}</td>
                </tr>
              ))}
              {Object.entries(agent.metrics).map(([name, value]) => (
                <tr key={name} className="faint">
                  <th scope="row">{name.replaceAll("_", " ")}</th>
                  <td />
                  <td className="number">{formatCount(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
      <section>
        <h2>
          Group <span className="faint">{group.length}</span>
          {outcome !== null && <span className="total word">{outcomeName(outcome)}</span>}
        </h2>
        {outcome !== null && outcome !== "trained" && <p className="faint">{outcomeReason(outcome)}</p>}
        <ol className="group-list">
          {group.map((one) => (
            <li key={one.id}>
              <Link to={linkTo(one)} isCurrent={one.id === item.id}>
                <span className="faint number">#{one.index}</span>
                <RewardBar reward={one.reward} most={most} />
                <span className="number">{formatNumber(one.reward)}</span>
                <span className={one.hasFailed ? "bad" : "faint"}>{one.stop}</span>
              </Link>
            </li>
          ))}
        </ol>
      </section>
      <section>
        <h2>
          Time <span className="total">{formatDuration(timing.durationMs)}</span>
        </h2>
        <Waterfall detail={detail} />
      </section>
      <section>
        <h2>About</h2>
        <table className="plain">
          <tbody>
            <Row name="stopped by">{item.stop}</Row>
            <Row name="environment">
              {item.env} <span className="faint">{detail.envVersion}</span>
            </Row>
            <Row name="model">{agents[0]?.model}</Row>
            <Row name="seed">{detail.seed}</Row>
            {detail.attempt > 0 && <Row name="attempt">{detail.attempt}</Row>}
            <Row name="id">
              <Said text={item.id} className="inline mono" />
            </Row>
          </tbody>
        </table>
      </section>
      <Folded title="Info" value={other} />
    </aside>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td colSpan={2}>{children}</td>
    </tr>
  );
}

/** From 0 to 1, which is where most rewards lie, or to the best of the group. */
function RewardBar({ reward, most }: { readonly reward: number | null; readonly most: number }): ReactNode {
  const share = Math.min(1, Math.max(0, (reward ?? 0) / most));
  return (
    <svg className="reward-bar" viewBox="0 0 60 6" width="60" height="6" aria-hidden="true">
      <rect className="back" width="60" height="6" rx="1" />
      <rect className="fill" width={60 * share} height="6" rx="1" />
    </svg>
  );
}

function Folded({ title, value }: { readonly title: string; readonly value: Json }): ReactNode {
  if (value === null || (typeof value === "object" && Object.keys(value).length === 0)) return null;
  return (
    <details className="fold">
      <summary>{title}</summary>
      <Said text={JSON.stringify(value, null, 2)} className="code" />
    </details>
  );
}
