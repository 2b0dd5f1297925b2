// One rollout for the reader: its line, its token columns, its task, its group and its neighbours. Validated by core's schema, so that the page
// can rely on the types; a line that does not pass is an error that says so.
import { HoneError, type Json, type JsonObject, type Rollout, rolloutSchema } from "@hone/core";
import { rolloutPaths } from "@hone/store";
import * as z from "zod";
import type { RolloutDetail, RolloutItem, RolloutLink, RolloutNode, TokenColumns } from "../app/api-types.ts";
import { openInside } from "./inside.ts";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";
import { LineReader, toItem } from "./rollout-query.ts";
import { parseObject } from "./tail.ts";

/** What token ids say, one text per id. Handed in by whoever knows tokenizers; undefined when the model's is not known. */
export type TokenTexts = (model: string, ids: Int32Array) => readonly string[] | undefined;

export interface ReadRolloutOptions {
  readonly index: RolloutIndex;
  readonly step: number;
  readonly id: string;
  readonly tokenTexts: TokenTexts | undefined;
  readonly task: (env: string, taskId: string) => Json;
  readonly outcome: (group: string) => string | undefined;
}

const schema = rolloutSchema({
  ids: z.custom<Int32Array>((value) => value instanceof Int32Array),
  logprobs: z.custom<Float32Array>((value) => value instanceof Float32Array),
});
/** Of a single rollout: columns of more than this are left out rather than sent to a browser. */
const mostTokens = 500_000;

export async function readRollout(folder: string, options: ReadRolloutOptions): Promise<RolloutDetail> {
  const { index, step, id } = options;
  const rollouts = await index.step(step);
  const at = rollouts.findIndex((rollout) => rollout.id === id);
  const found = rollouts[at];
  if (found === undefined) {
    throw new HoneError(`There is no rollout ${JSON.stringify(id.slice(0, 80))} in step ${step}.`, {
      code: "no-rollout",
      hint: "The run may have gone on from an earlier checkpoint and made it again in another step.",
    });
  }
  const rollout = await decode(folder, found);
  const model = rollout.agents[0]?.model ?? "";
  const { envVersion, attempt, seed, agents, calls, stop, timing, info } = rollout;
  return {
    item: toItem(found),
    envVersion,
    attempt,
    seed,
    agents,
    nodes: rollout.nodes.map((node) => toNode(node, model, options.tokenTexts)),
    calls,
    state: (rollout.state ?? null) as Json,
    stop,
    failure: rollout.failure ?? null,
    timing,
    info: info satisfies JsonObject,
    task: options.task(found.env, found.taskId),
    outcome: options.outcome(found.group) ?? null,
    group: groupOf(rollouts, found),
    previous: linkTo(rollouts[at - 1]),
    next: linkTo(rollouts[at + 1]),
  };
}

function groupOf(rollouts: readonly IndexedRollout[], of: IndexedRollout): readonly RolloutItem[] {
  const own = rollouts.filter(({ group }) => group === of.group).map((rollout) => toItem(rollout));
  return own.sort((a, b) => (b.reward ?? -Infinity) - (a.reward ?? -Infinity) || a.index - b.index);
}

function linkTo(rollout: IndexedRollout | undefined): RolloutLink | null {
  return rollout === undefined ? null : { step: rollout.step, id: rollout.id };
}

async function decode(folder: string, found: IndexedRollout): Promise<Rollout> {
  const lines = new LineReader(folder);
  let text: string;
  try {
    text = await lines.read(found);
  } finally {
    await lines.close();
  }
  const { tokensEnd: _tokensEnd, ...row } = parseObject(text) ?? {};
  const nodes = Array.isArray(row["nodes"]) ? (row["nodes"] as Readonly<Record<string, unknown>>[]) : [];
  const columns = await readColumns(folder, found.step, nodes);
  const whole = nodes.map(({ tokens, ...node }, position) => {
    const own = columns.get(position);
    return own === undefined ? node : { ...node, tokens: { ...(tokens as object), ...own } };
  });
  const parsed = schema.safeParse({ ...row, nodes: whole.map(withoutPlace) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HoneError(`The line of rollout ${found.id} is malformed: ${issue?.path.join(".")}: ${issue?.message}`, {
    code: "bad-row",
    hint: `It begins at byte ${found.byte} of ${rolloutPaths("", found.step).lines}.`,
  });
}

function withoutPlace(node: Readonly<Record<string, unknown>>): object {
  if (typeof node["tokens"] !== "object" || node["tokens"] === null) return node;
  const { at: _at, ...tokens } = node["tokens"] as Readonly<Record<string, unknown>>;
  return { ...node, tokens };
}

interface Columns {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
}

async function readColumns(
  folder: string,
  step: number,
  nodes: readonly Readonly<Record<string, unknown>>[],
): Promise<Map<number, Columns>> {
  const columns = new Map<number, Columns>();
  const places = nodes.flatMap(({ tokens }, node) => {
    const place = tokenPlace.safeParse(tokens);
    return place.success ? [{ ...place.data, node }] : [];
  });
  const total = places.reduce((sum, { ids }) => sum + ids, 0);
  if (places.length === 0 || total > mostTokens) return columns;
  const file = await openInside(folder, rolloutPaths(folder, step).tokens);
  if (file === undefined) return columns;
  try {
    for (const { node, at, ids, logprobs } of places) {
      const bytes = new DataView(new ArrayBuffer(4 * (ids + logprobs)));
      const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, at);
      if (bytesRead < bytes.byteLength) continue;
      columns.set(node, {
        ids: Int32Array.from({ length: ids }, (_, index) => bytes.getInt32(4 * index, true)),
        logprobs: Float32Array.from({ length: logprobs }, (_, index) => bytes.getFloat32(4 * (ids + index), true)),
      });
    }
  } finally {
    await file.close();
  }
  return columns;
}

const count = z.int().min(0).max(mostTokens);
const tokenPlace = z.object({ at: z.int().min(0), ids: count, logprobs: count });

function toNode(
  { tokens, ...node }: Rollout["nodes"][number],
  model: string,
  tokenTexts: TokenTexts | undefined,
): RolloutNode {
  if (tokens === undefined) return node;
  const columns: TokenColumns = {
    ids: [...tokens.ids],
    sampledFrom: tokens.sampledFrom,
    logprobs: Array.from(tokens.logprobs, (value) => (Number.isFinite(value) ? Number(value.toFixed(4)) : -100)),
    versions: tokens.policyVersion,
    texts: tokenTexts?.(model, tokens.ids) ?? null,
  };
  return { ...node, tokens: columns };
}
