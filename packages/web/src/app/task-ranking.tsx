// Which tasks are hard and which are easy, over the whole run, and how often each is solved.
import { type ReactNode, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RankedTask, TaskPage } from "./rollout-types.ts";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { Link } from "./router.tsx";
import type { TabProps } from "./run-tabs.tsx";
import { Said } from "./said.tsx";
import { SolveRates } from "./solve-rates.tsx";
import { Sparkline } from "./sparkline.tsx";

const rewards = [0, 1] as const;
const refreshMs = 10_000;
const readingMs = 1000;

export function TaskRanking({ run }: TabProps): ReactNode {
  const [isIndexed, setIndexed] = useState(true);
  const { value, error } = useAnswer<TaskPage>(`${run.path}/tasks`, { refreshMs: isIndexed ? refreshMs : readingMs });
  if (value !== undefined && value.isIndexed !== isIndexed) setIndexed(value.isIndexed);
  if (value === undefined) return <p className="notice">{error ?? "Loading"}</p>;
  if (value.total === 0) return <p className="notice">No rollout is finished yet: tasks are ranked by theirs.</p>;
  return (
    <section aria-label="Tasks">
      <h2 className="apart">
        Tasks{" "}
        <span className="faint">
          {formatCount(value.total)} seen{value.isIndexed ? "" : ", older rollouts are still being read"}
        </span>
      </h2>
      <SolveRates counts={value.solveRates} />
      <div className="two">
        <Ranking title="Hardest" tasks={value.hardest} run={run} />
        <Ranking title="Easiest" tasks={value.easiest} run={run} />
      </div>
    </section>
  );
}

interface RankingProps extends TabProps {
  readonly title: string;
  readonly tasks: readonly RankedTask[];
}

function Ranking({ title, tasks, run }: RankingProps): ReactNode {
  const hasSeveral = run.detail.environments.length > 1;
  if (tasks.length === 0) return null;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={`${title} tasks`}>
      <table className="ranking">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Task</th>
            {hasSeveral && (
              <th scope="col" className="of-env">
                Environment
              </th>
            )}
            <th scope="col" className="number">
              Rollouts
            </th>
            <th scope="col">Over time</th>
            <th scope="col" title="Share of rollouts with a reward of at least 0.5">
              Solved
            </th>
            <th scope="col" className="number">
              Reward
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map(({ env, taskId, rollouts, reward, solved, trend }) => (
            <tr key={`${env} ${taskId}`}>
              <th scope="row">
                <Link to={`${run.path}?${new URLSearchParams({ tab: "rollout", task: taskId }).toString()}`}>
                  <Said text={taskId} className="inline" />
                </Link>
              </th>
              {hasSeveral && <td className="of-env">{env}</td>}
              <td className="number">{formatCount(rollouts)}</td>
              <td>
                <Sparkline values={trend} width={72} scale={rewards} />
              </td>
              <td>
                <span className="solved">
                  <meter min={0} max={1} value={solved} aria-hidden="true" />
                  <span className="number">{formatPercent(solved)}</span>
                </span>
              </td>
              <td className="number">{formatNumber(reward)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
