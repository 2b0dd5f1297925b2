// What the program's thread and the engine's thread say to each other. Every call has a number; its answer carries the same one.
// Errors cross as data. Arrays are handed over where they are fresh, and copied where somebody still owns them.
import {
  type CheckpointRef,
  type GenerateRequest,
  type Generation,
  HoneError,
  type LossReport,
  type LossSpec,
  type OptimizerStep,
  type PolicyRef,
  type Sample,
  type TrainerSpec,
  type UpdateReport,
} from "@hone/core";
import type { KernelInfo } from "../kernel/kernels.ts";

/** How the engine's thread is started. */
export interface WorkerSettings {
  readonly model: string;
  readonly name: string;
  readonly checkpoints: string;
  readonly threads?: number;
  readonly prefer?: "native" | "wasm";
  readonly contextTokens?: number;
  readonly cacheBytes?: number;
  readonly snapshotBytes?: number;
  readonly isRecomputing?: boolean;
}
export interface WorkerSetup {
  readonly settings: WorkerSettings;
  readonly counts: SharedArrayBuffer;
}

/** What is asked, and what comes back. `trainer` is the number that opening gave. */
export interface Calls {
  readonly open: Call<{ readonly spec: TrainerSpec }, { readonly trainer: number }>;
  readonly forwardBackward: Call<
    { readonly trainer: number; readonly samples: readonly Sample[]; readonly loss: LossSpec },
    LossReport
  >;
  readonly update: Call<{ readonly trainer: number; readonly step: OptimizerStep }, UpdateReport>;
  readonly publish: Call<{ readonly trainer: number }, { readonly version: number }>;
  readonly save: Call<{ readonly trainer: number; readonly name: string }, CheckpointRef>;
  readonly export: Call<{ readonly trainer: number; readonly directory: string }, null>;
  readonly generate: Call<{ readonly policy: PolicyRef; readonly request: GenerateRequest }, Generation>;
  readonly score: Call<
    { readonly policy: PolicyRef; readonly sequences: readonly Int32Array[]; readonly temperature: number },
    readonly Float32Array[]
  >;
}
interface Call<Question, Answer> {
  readonly question: Question;
  readonly answer: Answer;
}
export type CallName = keyof Calls;
export type QuestionOf<Name extends CallName> = Calls[Name]["question"];
export type AnswerOf<Name extends CallName> = Calls[Name]["answer"];

/** One of the calls, with its name. */
export type AnyCall = { readonly [Name in CallName]: { readonly method: Name } & QuestionOf<Name> }[CallName];

export type ToWorker =
  | { readonly type: "call"; readonly id: number; readonly call: AnyCall }
  | { readonly type: "cancel"; readonly id: number };

export interface Ready {
  readonly contextTokens: number;
  readonly capacity: number;
  readonly kernels: KernelInfo;
  /** What whoever started the engine should know. */
  readonly notices: readonly string[];
}

export type FromWorker =
  | { readonly type: "ready"; readonly ready: Ready }
  | { readonly type: "refused"; readonly error: WireError }
  | { readonly type: "answer"; readonly id: number; readonly value: AnswerOf<CallName> }
  | { readonly type: "failure"; readonly id: number; readonly error: WireError };

export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export function toWire(error: unknown): WireError {
  if (HoneError.is(error)) {
    const { code, message, hint } = error;
    return { code, message, ...(hint !== undefined && { hint }) };
  }
  return { code: "engine", message: error instanceof Error ? error.message : String(error) };
}

export function fromWire({ message, ...options }: WireError): HoneError {
  return new HoneError(message, options);
}

/** How many sequences a call asks to sample; what is no count is refused later and counts as none. */
export function sequencesOf(call: AnyCall): number {
  if (call.method !== "generate") return 0;
  const { count } = call.request;
  return Number.isInteger(count) && count > 0 ? count : 0;
}

/** Places in the numbers that both threads see: sequences sampled, waiting, and taken in ever since. */
export const countPlaces = { running: 0, queued: 1, received: 2 } as const;

export function newCounts(): SharedArrayBuffer {
  return new SharedArrayBuffer(Object.keys(countPlaces).length * Int32Array.BYTES_PER_ELEMENT);
}

type Column = Int32Array | Float32Array;

/**
 * An array that can cross without anything else in its buffer. Views of a larger buffer would take all of it along, and shared
 * memory would stay shared: those are copied.
 */
export function compact<Array extends Column>(array: Array): Array {
  // Refused by whoever reads it, with a name.
  if (!ArrayBuffer.isView(array)) return array;
  const { buffer, byteLength } = array;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? array : (array.slice() as Array);
}

export interface WireAnswer {
  readonly value: AnswerOf<CallName>;
  readonly transfers: ArrayBuffer[];
}

/** An answer that its maker has let go of: its arrays are handed over, not copied. */
export function wireAnswer(value: AnswerOf<CallName>): WireAnswer {
  const buffers = new Set<ArrayBuffer>();
  const own = <Array extends Column>(array: Array): Array => {
    const whole = compact(array);
    if (whole.buffer instanceof ArrayBuffer) buffers.add(whole.buffer);
    return whole;
  };
  return { value: mapArrays(value, own), transfers: [...buffers] };
}

function mapArrays(value: AnswerOf<CallName>, own: <Array extends Column>(array: Array) => Array): typeof value {
  if (value === null) return value;
  if (isScores(value)) return value.map(own);
  if ("logprobs" in value) return { ...value, logprobs: value.logprobs.map(own) };
  if (!("sequences" in value)) return value;
  return { sequences: value.sequences.map((sequence) => mapFields(sequence, own)) };
}

/** Every column of a sequence, also those that the contract does not ask for. */
function mapFields<Fields extends object>(fields: Fields, own: <Array extends Column>(array: Array) => Array): Fields {
  const isColumn = (value: unknown): value is Column => value instanceof Int32Array || value instanceof Float32Array;
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    isColumn(value) ? own(value) : value,
  ]);
  return Object.fromEntries(entries) as Fields;
}

/** `Array.isArray` does not tell readonly arrays apart. */
function isScores(value: object): value is AnswerOf<"score"> {
  return Array.isArray(value);
}
