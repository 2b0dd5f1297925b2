// Two evaluations task by task: what the second gained and lost against the first. Tasks that only one of them has are counted, not compared.
import type { ReactNode } from "react";
import { useAnswer } from "./api.ts";
import type { TaskItem, TaskPage } from "./api-types.ts";
import { compareTasks } from "./compare-tasks.ts";
import { formatCount, formatNumber } from "./format.ts";
import { Link, pathOf } from "./router.tsx";
import { Said } from "./said.tsx";

const mostShown = 50;

interface ComparisonProps {
  readonly before: string;
  readonly after: string;
}

export function EvalComparison({ before, after }: ComparisonProps): ReactNode {
  const first = useTasks(before);
  const second = useTasks(after);
  if (first === undefined || second === undefined) return <p className="notice">Loading</p>;
  const { changes, gained, lost, same, alone } = compareTasks(first, second);
  return (
    <section className="comparison">
      <h2>
        {before} <span className="faint">against</span> {after}
      </h2>
      <dl className="facts">
        <Fact name="gained" value={formatCount(gained)} />
        <Fact name="lost" value={formatCount(lost)} />
        <Fact name="same" value={formatCount(same)} />
        {alone > 0 && <Fact name="in one only" value={formatCount(alone)} />}
      </dl>
      {changes.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Tasks that changed">
          <table>
            <thead>
              <tr>
                <th scope="col">Task</th>
                <th scope="col" className="number">
                  Before
                </th>
                <th scope="col" className="number">
                  After
                </th>
                <th scope="col" className="number">
                  Change
                </th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(0, mostShown).map(({ taskId, from, to, change }) => (
                <tr key={taskId}>
                  <th scope="row">
                    <Said text={taskId} className="inline" />
                  </th>
                  <td className="number">
                    <Link to={rolloutsOf(before, taskId)}>{formatNumber(from)}</Link>
                  </td>
                  <td className="number">
                    <Link to={rolloutsOf(after, taskId)}>{formatNumber(to)}</Link>
                  </td>
                  <td className={change > 0 ? "number good" : "number bad"}>
                    {change > 0 ? "+" : ""}
                    {formatNumber(change)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function useTasks(name: string): readonly TaskItem[] | undefined {
  const { value } = useAnswer<TaskPage>(`${pathOf("evals", name)}/tasks?most=5000`, { refreshMs: 5000 });
  return value === undefined ? undefined : [...value.hardest, ...value.easiest];
}

function rolloutsOf(name: string, taskId: string): string {
  return `${pathOf("evals", name)}?${new URLSearchParams({ tab: "rollout", task: taskId }).toString()}`;
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  );
}
