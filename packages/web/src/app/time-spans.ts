// What a rollout spent its time on, in order: set-up, each call of the model, what happened between the calls, scoring. All from its recorded times.
import type { RolloutDetail } from "./rollout-types.ts";

export interface TimeSpan {
  readonly name: string;
  readonly kind: "environment" | "model" | "failed" | "tools" | "scoring";
  readonly fromMs: number;
  readonly durationMs: number;
  /** The message it made. */
  readonly node?: number;
}

/** Shorter pauses between calls are bookkeeping. */
const shortestPause = 0.005;

export function timeSpans({
  timing,
  calls,
  nodes,
}: Pick<RolloutDetail, "timing" | "calls" | "nodes">): readonly TimeSpan[] {
  const total = Math.max(timing.durationMs, 0.001);
  const spans: TimeSpan[] = [{ name: "set-up", kind: "environment", fromMs: 0, durationMs: timing.setupMs }];
  let end = timing.setupMs;
  const pause = (to: number, name: string): void => {
    if (to - end > total * shortestPause && to - end > 1) {
      spans.push({ name, kind: "tools", fromMs: end, durationMs: to - end });
    }
  };
  for (const [index, { startedAtMs, durationMs, error, node }] of calls.entries()) {
    const fromMs = Math.min(total, Math.max(0, startedAtMs - timing.startedAtMs));
    if (index > 0) pause(fromMs, after(nodes, calls[index - 1]?.node ?? null));
    spans.push({
      name: `call ${index + 1}`,
      kind: error === undefined ? "model" : "failed",
      fromMs,
      durationMs,
      ...(node === null ? {} : { node }),
    });
    end = Math.max(end, fromMs + durationMs);
  }
  const scoring = Math.max(0, total - timing.scoringMs);
  if (calls.length > 0) pause(scoring, after(nodes, calls.at(-1)?.node ?? null));
  spans.push({ name: "scoring", kind: "scoring", fromMs: scoring, durationMs: timing.scoringMs });
  return spans;
}

/** What ran after a reply: its tools, or the environment. */
function after(nodes: RolloutDetail["nodes"], node: number | null): string {
  const message = node === null ? undefined : nodes[node]?.message;
  const tools = message?.role === "assistant" ? (message.toolCalls ?? []) : [];
  return tools.length === 0 ? "environment" : [...new Set(tools.map(({ name }) => name))].join(", ");
}
