// What was loaded of a run, with what the feed has told since.
import type { MetricRow, RunDetail } from "./api-types.ts";
import type { Feed } from "./use-feed.ts";

export function withFeed(detail: RunDetail, { rows, evals, events, brief, connection }: Feed): RunDetail {
  const last = rows.at(-1);
  const known = new Set(detail.evals.map(({ step, env }) => `${step} ${String(env)}`));
  const eventsByte = Number(detail.cursor.split("-")[2]);
  return {
    ...detail,
    // While nothing is heard, what was asked for last is newer.
    ...(connection === "lost" || isOlder(brief, detail) ? {} : brief),
    ...(last === undefined || last.step <= detail.step ? {} : numbersOf(last, detail)),
    ...keysOf(detail, rows),
    evals: [...detail.evals, ...evals.filter(({ step, env }) => !known.has(`${step} ${String(env)}`))],
    events: [...detail.events, ...events.filter(({ byte }) => byte > eventsByte).map(({ row }) => row)],
  };
}

/** Of a run that is gone nothing has a time, and nothing is newer. */
function isOlder(brief: Feed["brief"], { changedAtMs }: RunDetail): boolean {
  return brief?.state !== "gone" && (brief?.changedAtMs ?? 0) < changedAtMs;
}

function numbersOf(row: MetricRow, { reward, loss, isSft }: RunDetail): Partial<RunDetail> {
  const [newReward, newLoss] = [row["reward/mean"], row["update/loss"]];
  return {
    step: row.step,
    reward: typeof newReward === "number" ? newReward : reward,
    loss: isSft && typeof newLoss === "number" ? newLoss : loss,
  };
}

/** The same lists as before unless a row has something new: charts are planned from them. */
function keysOf({ metrics, histograms, still }: RunDetail, rows: readonly MetricRow[]): Partial<RunDetail> {
  const last = rows.at(-1);
  if (last === undefined) return {};
  const [numbers, lists] = [new Set(metrics), new Set(histograms)];
  const fresh = Object.keys(last).filter((key) => key !== "step" && !numbers.has(key) && !lists.has(key));
  const moved = Object.entries(still).filter(([key, value]) => rows.some((row) => (row[key] ?? value) !== value));
  return {
    ...(fresh.length === 0
      ? {}
      : {
          metrics: [...metrics, ...fresh.filter((key) => typeof last[key] === "number")],
          histograms: [...histograms, ...fresh.filter((key) => Array.isArray(last[key]))],
        }),
    ...(moved.length === 0
      ? {}
      : { still: Object.fromEntries(Object.entries(still).filter(([key]) => !moved.some(([one]) => one === key))) }),
  };
}
