// One JSON line per figure; a figure with a bar that misses it has ok false, and tools/bench.mjs exits 1.
import { monitorEventLoopDelay } from "node:perf_hooks";

export function figure(bench, name, value, unit, { bar, better = "higher" } = {}) {
  const rounded = Number(value.toPrecision(4));
  const ok = bar === undefined || (better === "higher" ? value >= bar : value <= bar);
  console.log(
    JSON.stringify({ bench, figure: name, value: rounded, unit, ...(bar === undefined ? {} : { bar, better, ok }) }),
  );
}

/** Runs `work` and gives its result, its seconds and the event loop's delay (99th percentile, milliseconds) while it ran. */
export async function measured(work) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  return { result, seconds, delayMs: delay.percentile(99) / 1e6 };
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
