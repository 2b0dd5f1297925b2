// The line of one rollout, found by the index and validated by core's schema, so that the page can rely on the types. A line that does not pass is an
// error that says so. Token columns lie in a file of their own and are read only where somebody looks at tokens.
import { HoneError, type Rollout, rolloutSchema } from "@hone/core";
import { rolloutPaths } from "@hone/store";
import * as z from "zod";
import type { IndexedRollout, RolloutIndex } from "./rollout-index.ts";
import { LineReader } from "./line-reader.ts";
import { openInside } from "./inside.ts";
import { parseObject } from "./tail.ts";

export interface FoundRollout {
  readonly found: IndexedRollout;
  /** Those of its step that count, in the order of the file, and its position among them. */
  readonly step: readonly IndexedRollout[];
  readonly at: number;
}

/** In its step, or in the one in which it was made again: a link to it is still one. */
export async function findRollout(index: RolloutIndex, step: number, id: string): Promise<FoundRollout> {
  const rollouts = await index.step(step);
  const at = rollouts.findIndex((rollout) => rollout.id === id);
  const found = rollouts[at];
  if (found !== undefined) return { found, step: rollouts, at };
  const other = index.stepOf(id);
  if (other !== undefined && other !== step) return findRollout(index, other, id);
  throw new HoneError(`There is no rollout ${JSON.stringify(id.slice(0, 80))} in step ${step}.`, {
    code: "no-rollout",
    hint: "The run may have gone on from an earlier checkpoint and not made it again, or its file was taken away.",
  });
}

const schema = rolloutSchema({
  ids: z.custom<Int32Array>((value) => value instanceof Int32Array),
  logprobs: z.custom<Float32Array>((value) => value instanceof Float32Array),
});

export interface ReadRollout {
  readonly rollout: Rollout;
  /** Messages whose columns are missing from the file of tokens: it was cut off, or taken away. */
  readonly lost: number;
}

export async function readLine(
  folder: string,
  found: IndexedRollout,
  columns: "tokens" | "none",
): Promise<ReadRollout> {
  const { tokensEnd: _tokensEnd, ...row } = parseObject(await lineOf(folder, found)) ?? {};
  const nodes = Array.isArray(row["nodes"]) ? (row["nodes"] as Readonly<Record<string, unknown>>[]) : [];
  const read = columns === "tokens" ? await readColumns(folder, found.step, nodes) : undefined;
  const whole = nodes.map(({ tokens, ...node }, position) => {
    const own = read?.get(position);
    return own === undefined ? node : { ...node, tokens: { ...withoutPlace(tokens), ...own } };
  });
  const parsed = schema.safeParse({ ...row, nodes: whole });
  const lost =
    read === undefined ? 0 : nodes.filter(({ tokens }, node) => tokens !== undefined && !read.has(node)).length;
  if (parsed.success) return { rollout: parsed.data, lost };
  const [issue] = parsed.error.issues;
  throw new HoneError(`The line of rollout ${found.id} is malformed: ${issue?.path.join(".")}: ${issue?.message}`, {
    code: "bad-row",
    hint: `It begins at byte ${found.byte} of ${rolloutPaths("", found.step).lines}.`,
  });
}

async function lineOf(folder: string, found: IndexedRollout): Promise<string> {
  const lines = new LineReader(folder);
  try {
    return await lines.read(found);
  } finally {
    await lines.close();
  }
}

function withoutPlace(tokens: unknown): object {
  const { at: _at, ...rest } = tokens as Readonly<Record<string, unknown>>;
  return rest;
}

/** Of a single rollout: columns of more than this are left out rather than sent to a browser. */
const mostTokens = 500_000;
const count = z.int().min(0).max(mostTokens);
const tokenPlace = z.object({ at: z.int().min(0), ids: count, logprobs: count });

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
