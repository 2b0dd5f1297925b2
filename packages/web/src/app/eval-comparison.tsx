// Two evaluations task by task: what the second gained and lost against the first, by how much on the whole, and for a task what each of them said.
// Tasks that only one of them has are counted, not compared.
import { type ReactNode, useMemo, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RunItem } from "./api-types.ts";
import type { TaskItem, TaskPage } from "./rollout-types.ts";
import { compareTasks, type TaskChange, type TaskComparison } from "./compare-tasks.ts";
import { EvalTask } from "./eval-task.tsx";
import { formatCount, formatNumber } from "./format.ts";
import { PassCurve } from "./pass-curve.tsx";
import { pathOf, setQuery, useAddress } from "./router.tsx";
import { Said } from "./said.tsx";

const shownAtOnce = 50;
const kinds = ["all", "gained", "lost"] as const;

interface ComparisonProps {
  readonly before: RunItem;
  readonly after: RunItem;
}

export function EvalComparison({ before, after }: ComparisonProps): ReactNode {
  const { query } = useAddress();
  const first = useTasks(before.name);
  const second = useTasks(after.name);
  const comparison = useMemo(
    () => (first === undefined || second === undefined ? undefined : compareTasks(first, second)),
    [first, second],
  );
  if (comparison === undefined) return <p className="notice">Loading</p>;
  const open = comparison.changes.find(({ env, taskId }) => `${env}/${taskId}` === query.get("task"));
  const lines = [before, after].flatMap(({ name, result }) => (result === null ? [] : [{ name, row: result }]));
  return (
    <section className="comparison" aria-labelledby="comparison-title">
      <h2 id="comparison-title">
        {before.name} <span className="faint">against</span> {after.name}
        <button type="button" onClick={() => setQuery({ compare: `${after.name}/${before.name}` })}>
          Swap
        </button>
      </h2>
      <Facts comparison={comparison} />
      <div className="two">
        <Changes comparison={comparison} open={open} />
        {open === undefined ? (
          <div>
            <h3>Passes</h3>
            <PassCurve lines={lines} />
          </div>
        ) : (
          <EvalTask before={before.name} after={after.name} env={open.env} taskId={open.taskId} />
        )}
      </div>
    </section>
  );
}

function Facts({
  comparison: { gained, lost, same, alone, mean },
}: {
  readonly comparison: TaskComparison;
}): ReactNode {
  return (
    <dl className="facts">
      <Fact name="gained" value={formatCount(gained)} />
      <Fact name="lost" value={formatCount(lost)} />
      <Fact name="same" value={formatCount(same)} />
      {alone > 0 && <Fact name="in one only" value={formatCount(alone)} />}
      {mean !== null && (
        <div>
          <dt>mean change</dt>
          <dd className="number">
            {signed(mean.change)}
            {mean.interval !== null && (
              <span className="faint">
                {" "}
                {signed(mean.interval[0])} to {signed(mean.interval[1])}
              </span>
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}

interface ChangesProps {
  readonly comparison: TaskComparison;
  /** The task that is looked at. */
  readonly open: TaskChange | undefined;
}

function Changes({ comparison, open }: ChangesProps): ReactNode {
  const { query } = useAddress();
  const [most, setMost] = useState(shownAtOnce);
  const kind = kinds.find((one) => one === query.get("changes")) ?? "all";
  const wanted = ({ change }: TaskChange): boolean => kind === "all" || (kind === "gained" ? change > 0 : change < 0);
  const changes = comparison.changes.filter(wanted);
  return (
    <div>
      <div className="controls">
        <div className="segments" role="group" aria-label="Which tasks">
          {kinds.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === kind}
              onClick={() => setQuery({ changes: one === "all" ? "" : one })}
            >
              {one === "all" ? "Changed" : one === "gained" ? "Gained" : "Lost"}
            </button>
          ))}
        </div>
      </div>
      {changes.length === 0 && <p className="notice">No task changed.</p>}
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
              {changes.slice(0, most).map(({ env, taskId, from, to, change }) => (
                <tr key={`${env}/${taskId}`} className={open?.taskId === taskId ? "open" : ""}>
                  <th scope="row">
                    <button
                      type="button"
                      className="plain-link"
                      aria-expanded={open?.taskId === taskId}
                      onClick={() => setQuery({ task: open?.taskId === taskId ? "" : `${env}/${taskId}` })}
                    >
                      <Said text={taskId} className="inline" />
                    </button>
                  </th>
                  <td className="number">{formatNumber(from)}</td>
                  <td className="number">{formatNumber(to)}</td>
                  <td className={change > 0 ? "number good" : "number bad"}>{signed(change)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {changes.length > most && (
        <button type="button" className="more" onClick={() => setMost(most + shownAtOnce)}>
          Show more, {formatCount(most)} of {formatCount(changes.length)} are shown
        </button>
      )}
    </div>
  );
}

function useTasks(name: string): readonly TaskItem[] | undefined {
  const { value } = useAnswer<TaskPage>(`${pathOf("evals", name)}/tasks?most=5000`, { refreshMs: 5000 });
  return useMemo(() => (value === undefined ? undefined : [...value.hardest, ...value.easiest]), [value]);
}

function signed(value: number): string {
  return (value > 0 ? "+" : "") + formatNumber(value);
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="number">{value}</dd>
    </div>
  );
}
