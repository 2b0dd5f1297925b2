// One task as two evaluations did it: the rollouts of each, best first, in a row of their own.
import type { ReactNode } from "react";
import { useAnswer } from "./api.ts";
import type { RolloutPage } from "./rollout-types.ts";
import { RolloutColumn } from "./rollout-column.tsx";
import { Link, pathOf } from "./router.tsx";

const mostShown = 16;

interface EvalTaskProps {
  readonly before: string;
  readonly after: string;
  readonly env: string;
  readonly taskId: string;
}

export function EvalTask({ before, after, env, taskId }: EvalTaskProps): ReactNode {
  return (
    <div className="eval-task">
      {[before, after].map((name) => (
        <Attempts key={name} name={name} env={env} taskId={taskId} />
      ))}
    </div>
  );
}

function Attempts({
  name,
  env,
  taskId,
}: {
  readonly name: string;
  readonly env: string;
  readonly taskId: string;
}): ReactNode {
  const asked = new URLSearchParams({ env, task: taskId, sort: "-reward" });
  const { value } = useAnswer<RolloutPage>(`${pathOf("evals", name)}/rollouts?${asked.toString()}&limit=${mostShown}`);
  return (
    <section>
      <h3>
        <Link to={`${pathOf("evals", name)}?tab=rollout&${asked.toString()}`}>{name}</Link>
      </h3>
      <div className="columns" role="list" aria-label={`Rollouts of ${name}, best first`} tabIndex={0}>
        {value?.items.map((item) => {
          const path = pathOf("evals", name, "rollouts", item.step, item.id);
          return <RolloutColumn key={item.id} path={path} to={path} item={item} />;
        })}
      </div>
    </section>
  );
}
