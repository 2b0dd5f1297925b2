// Which tasks are hard and which are easy, over the whole run.
import type { ReactNode } from "react";
import { useAnswer } from "./api.ts";
import type { TaskItem, TaskPage } from "./api-types.ts";
import { formatCount, formatNumber } from "./format.ts";
import { Link } from "./router.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { Said } from "./said.tsx";

export function TaskRanking({ run }: { readonly run: LiveRun }): ReactNode {
  const { value, error } = useAnswer<TaskPage>(`${run.path}/tasks`, { refreshMs: 10_000 });
  if (value === undefined) return <p className="notice">{error ?? "Loading"}</p>;
  return (
    <>
      <h2>
        Tasks <span className="faint">{formatCount(value.total)} seen</span>
      </h2>
      <div className="two">
        <Ranking title="Hardest" tasks={value.hardest} run={run} />
        <Ranking title="Easiest" tasks={value.easiest} run={run} />
      </div>
    </>
  );
}

interface RankingProps {
  readonly title: string;
  readonly tasks: readonly TaskItem[];
  readonly run: LiveRun;
}

function Ranking({ title, tasks, run }: RankingProps): ReactNode {
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Environment</th>
          <th scope="col" className="number">
            Rollouts
          </th>
          <th scope="col" className="number">
            Reward
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map(({ env, taskId, rollouts, reward }) => (
          <tr key={`${env} ${taskId}`}>
            <th scope="row">
              <Link to={`${run.path}?${new URLSearchParams({ tab: "rollout", task: taskId }).toString()}`}>
                <Said text={taskId} className="inline" />
              </Link>
            </th>
            <td>{env}</td>
            <td className="number">{formatCount(rollouts)}</td>
            <td className="number">{formatNumber(reward)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
