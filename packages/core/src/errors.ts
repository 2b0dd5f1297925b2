// Errors that a person can act on: what, where, what next. Inside a rollout every error becomes a `Failure` at its boundary (rollout.ts).
// Recognised by a registered symbol, never by instanceof: two copies of this package in one program are normal.
import type { Boundary, Failure } from "./rollout.ts";

const mark = Symbol.for("hone.error");

/** Where in a file. Lines and columns start at 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The source line, for the caret. */
  readonly text?: string;
}

export interface HoneErrorOptions {
  /** A short stable word: "unknown-environment", "config", "rate-limit". */
  readonly code: string;
  /** What to do next. */
  readonly hint?: string;
  readonly at?: Place;
  readonly isRetryable?: boolean;
  readonly cause?: unknown;
}

export class HoneError extends Error {
  readonly [mark] = true;
  readonly code: string;
  readonly hint: string | undefined;
  readonly at: Place | undefined;
  readonly isRetryable: boolean;

  constructor(message: string, options: HoneErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HoneError";
    this.code = options.code;
    this.hint = options.hint;
    this.at = options.at;
    this.isRetryable = options.isRetryable ?? false;
  }

  static is(value: unknown): value is HoneError {
    return typeof value === "object" && value !== null && mark in value;
  }
}

/** What a model call can fail with. "context-length" is no failure: the rollout stops cleanly, truncated. */
export type ModelErrorCode =
  | "rate-limit"
  | "server"
  | "timeout"
  | "connection"
  | "invalid-response"
  | "context-length"
  | "unauthorized"
  | "bad-request"
  | "content-filter";

export interface ModelErrorOptions {
  readonly code: ModelErrorCode;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly hint?: string;
  readonly cause?: unknown;
}

export class ModelError extends HoneError {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ModelErrorOptions) {
    const isRetryable = ["rate-limit", "server", "timeout", "connection", "invalid-response"].includes(options.code);
    super(message, { ...options, isRetryable });
    this.name = "ModelError";
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** An error on its way out of a rollout, with the boundary it crossed first. */
export class BoundaryError extends HoneError {
  readonly boundary: Boundary;

  constructor(boundary: Boundary, cause: unknown) {
    const known = HoneError.is(cause) ? cause : undefined;
    super(cause instanceof Error ? cause.message : String(cause), {
      code: known?.code ?? (cause instanceof Error ? cause.name : "error"),
      isRetryable: known?.isRetryable ?? boundary === "sandbox",
      cause,
    });
    this.name = "BoundaryError";
    this.boundary = boundary;
  }
}

/** Runs `work`; what it throws is attributed to `name`, once: the innermost boundary wins. */
export async function boundary<T>(name: Boundary, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw HoneError.is(error) && "boundary" in error ? error : new BoundaryError(name, error);
  }
}

/** The data of an error: what a rollout keeps. */
export function toFailure(error: unknown, otherwise: Boundary): Failure {
  const { boundary, code, message, isRetryable } = (
    HoneError.is(error) && "boundary" in error ? error : new BoundaryError(otherwise, error)
  ) as BoundaryError;
  return { boundary, code, message, isRetryable };
}
