// Task: one serialisable piece of work. Its id is the same in every run; its hash says whether its fields changed.
import * as z from "zod";
import { type Data, idSchema, type Json, type JsonObject, jsonSchema, type TaskId } from "./data.ts";
import { sha256Hex } from "./hash.ts";

/** Flat: your fields beside the id. The id is yours, or a hash of the fields. */
export type Task<Fields = unknown> = {
  readonly [Key in keyof Fields as Key extends "id" ? never : Key]: Fields[Key];
} & { readonly id: TaskId };
export type Split = "train" | "eval" | "all";

/** Lazy and re-readable; may be endless. */
export interface Taskset<Fields = unknown> extends AsyncIterable<Task<Fields>> {
  /** Infinity when endless; undefined when only reading tells. */
  readonly size: number | undefined;
  head(count: number): Taskset<Fields>;
  /** The same order for the same seed. Refused for an endless set: bound it with `head` first. */
  shuffle(seed: number): Taskset<Fields>;
  map<Mapped extends Data<Mapped>>(change: (task: Task<Fields>) => Mapped): Taskset<Mapped>;
}

export const Task: z.ZodType<Task<JsonObject>, unknown> = z.object({ id: idSchema<"task">() }).catchall(jsonSchema());

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  );
}

/** 16 hexadecimal digits over the fields without the id. */
export function taskHash(task: object): string {
  const { id: _id, ...fields } = task as { readonly id?: Json };
  return sha256Hex(canonicalJson(fields)).slice(0, 16);
}

/** Whether the hash split holds this task out for evaluation: one task in ten, decided by its fields alone. */
export function isHeldOut(hash: string): boolean {
  return Number.parseInt(hash.slice(0, 8), 16) % 10 === 0;
}
