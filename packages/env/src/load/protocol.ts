// Messages between the main thread and an environment's worker thread. Data only: errors travel by their fields.
import {
  type ExecOptions,
  HoneError,
  type JsonObject,
  ModelError,
  type ModelErrorCode,
  type ModelRequest,
  type Rollout,
  type RolloutIdentity,
  type RolloutSettings,
  type Sampling,
  type SandboxSpec,
  type StartOptions,
  type Task,
} from "@hone/core";
import type { Blocked } from "../rollout/watchdog.ts";

/** What a worker is started with. */
export interface WorkerSetup {
  readonly file: string;
  readonly args: JsonObject;
}

export type ToWorker =
  | { readonly type: "rollout"; readonly id: number; readonly job: RolloutJob }
  | { readonly type: "abort"; readonly id: number; readonly reason: string }
  | { readonly type: "answer"; readonly call: number; readonly value: unknown }
  | { readonly type: "refuse"; readonly call: number; readonly error: WireError };

export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "rollout-end"; readonly id: number; readonly rollout: Rollout }
  | { readonly type: "rollout-fail"; readonly id: number; readonly error: WireError }
  | { readonly type: "ask"; readonly call: number; readonly id: number; readonly question: Question }
  | { readonly type: "cancel"; readonly call: number }
  | { readonly type: "blocked"; readonly blocked: Blocked };

export interface RolloutJob {
  readonly task: Task;
  readonly identity: RolloutIdentity;
  readonly settings: RolloutSettings;
  readonly sampling: Sampling;
  readonly model: string;
  readonly harness: string | undefined;
}

/** What rollouts in a worker ask of the main thread, which holds the clients and the sandboxes. */
export type Question =
  | { readonly ask: "complete"; readonly model: string | null; readonly request: ModelRequest }
  | { readonly ask: "sandbox-open"; readonly spec: SandboxSpec }
  | {
      readonly ask: "sandbox-exec";
      readonly box: number;
      readonly command: string;
      readonly options: Omit<ExecOptions, "signal">;
    }
  | { readonly ask: "sandbox-start"; readonly box: number; readonly command: string; readonly options: StartOptions }
  | { readonly ask: "job-output"; readonly job: number }
  | { readonly ask: "job-write"; readonly job: number; readonly text: string }
  | { readonly ask: "job-signal"; readonly job: number; readonly name: "SIGINT" | "SIGTERM" | "SIGKILL" }
  | { readonly ask: "job-ended"; readonly job: number }
  | { readonly ask: "sandbox-read"; readonly box: number; readonly path: string }
  | {
      readonly ask: "sandbox-write";
      readonly box: number;
      readonly path: string;
      readonly content: string | Uint8Array;
    }
  | { readonly ask: "sandbox-list"; readonly box: number; readonly path: string }
  | { readonly ask: "sandbox-close"; readonly box: number };

export interface WireError {
  readonly message: string;
  readonly code: string;
  readonly isRetryable: boolean;
  readonly model?: { readonly status?: number; readonly retryAfterMs?: number };
}

export function toWire(error: unknown): WireError {
  const message = error instanceof Error ? error.message : String(error);
  if (!HoneError.is(error)) return { message, code: error instanceof Error ? error.name : "error", isRetryable: false };
  const { code, isRetryable } = error;
  if (error.name !== "ModelError") return { message, code, isRetryable };
  const { status, retryAfterMs } = error as ModelError;
  const model = {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return { message, code, isRetryable, model };
}

export function fromWire({ message, code, isRetryable, model }: WireError): HoneError {
  if (model !== undefined) return new ModelError(message, { ...model, code: code as ModelErrorCode });
  return new HoneError(message, { code, isRetryable });
}
