// A line and the token file back to a rollout, validated by core's schema. See rollout-encode.ts for the format.
import { endianness } from "node:os";
import { type Rollout, rolloutSchema } from "@hone/core";
import * as z from "zod";
import { checked } from "./read-log.ts";
import { toLittleEndian } from "./rollout-encode.ts";

/** Compiled where zod can; it checks the same either way. */
const schema = z.compile(
  rolloutSchema({
    ids: z.custom<Int32Array>((value) => value instanceof Int32Array),
    logprobs: z.custom<Float32Array>((value) => value instanceof Float32Array),
  }),
);

/** A parsed line. Only what is needed to find its columns is looked at before the schema sees it. */
interface RolloutLine {
  readonly tokensEnd: number;
  readonly rollout: object;
  readonly nodes: readonly unknown[];
}

export function openLine(json: unknown): RolloutLine {
  if (!isRecord(json)) throw new Error("not a rollout");
  const { tokensEnd, nodes, ...rollout } = json;
  if (!isOffset(tokensEnd)) throw new Error("tokensEnd: not an offset into the token file");
  if (!Array.isArray(nodes)) throw new Error("nodes: not an array");
  return { tokensEnd, rollout, nodes };
}

/** Without `columns` the nodes come without tokens. */
export function decodeRollout(line: RolloutLine, columns: LineColumns | undefined): Rollout {
  const nodes = line.nodes.map((node) => {
    if (!isRecord(node) || node["tokens"] === undefined) return node;
    const { tokens, ...rest } = node;
    return columns === undefined ? rest : { ...rest, tokens: withColumns(tokens, line.tokensEnd, columns) };
  });
  return checked({ ...line.rollout, nodes }, schema);
}

/** The part of the token file that a line refers to, from byte `at` of the file on. */
interface LineColumns {
  readonly at: number;
  readonly buffer: ArrayBuffer;
}

/** A copy of `bytes`, which begin at byte `at` of the file. One per rollout: keeping a rollout keeps nothing else alive, and it can be handed to a worker. */
export function lineColumns(bytes: Uint8Array, at: number): LineColumns {
  const start = bytes.byteOffset;
  const buffer = bytes.buffer.slice(start, start + bytes.length) as ArrayBuffer;
  toLittleEndian(Buffer.from(buffer), endianness());
  return { at, buffer };
}

function withColumns(tokens: unknown, tokensEnd: number, columns: LineColumns): object {
  const { at, ids, logprobs, ...rest } = openReference(tokens, tokensEnd);
  const start = at - columns.at;
  return {
    ...rest,
    ids: new Int32Array(columns.buffer, start, ids),
    logprobs: new Float32Array(columns.buffer, start + 4 * ids, logprobs),
  };
}

/** Where the columns of a line begin; its tokensEnd when it has none. */
export function tokensStart({ nodes, tokensEnd }: RolloutLine): number {
  let start = tokensEnd;
  for (const node of nodes) {
    if (!isRecord(node) || node["tokens"] === undefined) continue;
    start = Math.min(start, openReference(node["tokens"], tokensEnd).at);
  }
  return start;
}

interface Reference {
  readonly at: number;
  readonly ids: number;
  readonly logprobs: number;
}

function openReference(tokens: unknown, tokensEnd: number): Reference {
  if (isRecord(tokens) && isOffset(tokens["at"]) && isCount(tokens["ids"]) && isCount(tokens["logprobs"])) {
    const reference = tokens as unknown as Reference;
    if (reference.at + 4 * (reference.ids + reference.logprobs) <= tokensEnd) return reference;
  }
  throw new Error("tokens: not a reference into the token file");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOffset(value: unknown): value is number {
  return isCount(value) && value % 4 === 0;
}
