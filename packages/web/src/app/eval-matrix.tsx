// Environments against models: the latest finished evaluation of each pair, with its interval.
import type { ReactNode } from "react";
import type { RunItem } from "./api-types.ts";
import { formatNumber } from "./format.ts";
import { Interval } from "./interval.tsx";
import { Link, pathOf } from "./router.tsx";

export function EvalMatrix({ items }: { readonly items: readonly RunItem[] }): ReactNode {
  const latest = new Map<string, RunItem>();
  for (const item of [...items].sort((a, b) => a.changedAtMs - b.changedAtMs)) {
    const [env] = item.environments;
    if (env !== undefined && item.result !== null) latest.set(`${env}\n${item.model ?? ""}`, item);
  }
  const pairs = [...latest.keys()].map((pair) => pair.split("\n"));
  const environments = [...new Set(pairs.map(([env = ""]) => env))].sort();
  const counts = new Map<string, number>();
  for (const [, model = ""] of pairs) counts.set(model, (counts.get(model) ?? 0) + 1);
  // Those that were measured on most come first: the others are compared with them.
  const models = [...counts].sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1)).map(([model]) => model);
  if (pairs.length < 2) return null;
  return (
    <section className="matrix">
      <h2>By environment and model</h2>
      <div className="scroll" tabIndex={0} role="region" aria-label="Rewards by environment and model">
        <table>
          <thead>
            <tr>
              <th scope="col">Environment</th>
              {models.map((model) => (
                <th key={model} scope="col">
                  {model}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {environments.map((env) => (
              <tr key={env}>
                <th scope="row">{env}</th>
                {models.map((model) => (
                  <Cell key={model} item={latest.get(`${env}\n${model}`)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Cell({ item }: { readonly item: RunItem | undefined }): ReactNode {
  if (item === undefined) return <td className="faint">–</td>;
  return (
    <td>
      <span className="pair">
        <Link to={pathOf(item.kind, item.name)}>{formatNumber(item.reward)}</Link>
        <Interval row={item.result} />
      </span>
    </td>
  );
}
