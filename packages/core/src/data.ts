// Plain data. Everything that crosses a file, a worker or a network is made of these; nothing here has behaviour.

import * as z from "zod";

export type Awaitable<T> = T | Promise<T>;

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

declare const noun: unique symbol;
/** A string that names one kind of thing: a `RolloutId` is not a `TaskId`. */
export type Id<Noun extends string> = string & { readonly [noun]: Noun };
export type TaskId = Id<"task">;
export type RolloutId = Id<"rollout">;
export type GroupId = Id<"group">;
export type SampleId = Id<"sample">;

/** A brand costs nothing at run time, so the schema is that of a string and encodes as well as it decodes. */
export function idSchema<Noun extends string>(): z.ZodType<Id<Noun>, string> {
  return z.string().min(1) as unknown as z.ZodType<Id<Noun>, string>;
}

/** Any JSON value. Not `z.json()`: that schema is recursive, which keeps zod from compiling the schemas around it (five times slower). */
export function jsonSchema(): z.ZodType<Json> {
  return z.custom<Json>(isJson, "not plain JSON");
}

export function isJson(value: unknown, depth = 0): value is Json {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > deepest) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  return isPlain(value) && Object.values(value).every((item) => isJson(item, depth + 1));
}

/** Deeper data is refused before it overflows the stack. */
const deepest = 1000;

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * `T extends Data<T>` holds when every member survives JSON. Interfaces pass (they never satisfy `Json`);
 * a Set, a Date or a function fails, and the error names the member.
 */
export type Data<T> = { readonly [K in keyof T]: Plain<T[K]> };
type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends NotData
    ? "not serialisable: keep plain values, arrays and objects here"
    : T extends object
      ? Data<T>
      : T;
type NotData =
  | ((...parameters: never[]) => unknown)
  | symbol
  | bigint
  | Date
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | Promise<unknown>;

/** Every function that may take long takes this last. */
export interface CallOptions {
  readonly signal: AbortSignal;
}
