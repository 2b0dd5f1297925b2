// The numbers of an evaluation: its reward with the interval, pass@k, each reward and each metric.
import type { ReactNode } from "react";
import type { MetricRow } from "./api-types.ts";
import { formatCount, formatNumber, formatPercent } from "./format.ts";
import { Interval } from "./interval.tsx";
import { PassCurve, passPoints } from "./pass-curve.tsx";
import type { LiveRun } from "./run-tabs.tsx";

export function EvalSummary({ run: { detail } }: { readonly run: LiveRun }): ReactNode {
  const row = detail.evals.at(-1);
  if (row === undefined) {
    return (
      <p className="notice">The numbers appear when every rollout is done. Those that are can be read under Rollout.</p>
    );
  }
  return (
    <div className="two">
      <section>
        <h2>Reward</h2>
        <table className="plain">
          <tbody>
            <tr>
              <th scope="row">mean</th>
              <td className="number strong">{formatNumber(numberOf(row, "reward/mean"))}</td>
              <td>
                <Interval row={row} />
              </td>
            </tr>
            {named(row, "reward/").map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{formatNumber(value)}</td>
                <td />
              </tr>
            ))}
          </tbody>
        </table>
        <Passes row={row} />
      </section>
      <section>
        <h2>Rollouts</h2>
        <table className="plain">
          <tbody>
            {["tasks", "n", "failed"].map((key) => (
              <tr key={key}>
                <th scope="row">{key === "n" ? "scored" : key}</th>
                <td className="number">{formatCount(numberOf(row, key) ?? 0)}</td>
              </tr>
            ))}
            {named(row, "rollout/").map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name.replaceAll("_", " ")}</th>
                <td className="number">{name === "truncated" ? formatPercent(value) : formatNumber(value, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function Passes({ row }: { readonly row: MetricRow }): ReactNode {
  const points = passPoints(row);
  if (points.length === 0) return null;
  return (
    <>
      <h2>Passes</h2>
      <PassCurve lines={[{ name: "passes", row }]} />
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">k</th>
            <th scope="col" className="number">
              at least one of k
            </th>
            <th scope="col" className="number">
              all of k
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ k, any, all }) => (
            <tr key={k}>
              <th scope="row">{k}</th>
              <td className="number">{formatNumber(any)}</td>
              <td className="number">{formatNumber(all)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function numberOf(row: MetricRow, key: string): number | undefined {
  const value = row[key];
  return typeof value === "number" ? value : undefined;
}

function named(row: MetricRow, prefix: string): readonly (readonly [string, number])[] {
  return Object.entries(row).flatMap(([key, value]) =>
    key.startsWith(prefix) && key !== "reward/mean" && typeof value === "number"
      ? [[key.slice(prefix.length), value] as const]
      : [],
  );
}
