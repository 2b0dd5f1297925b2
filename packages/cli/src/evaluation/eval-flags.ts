// The flags of `hone eval`, as they arrive.
import type { JsonObject, Split } from "@hone/core";
import type { SandboxName } from "./sandbox-names.ts";

export interface EvalFlags {
  readonly model: string | undefined;
  readonly numTasks: number | "all" | undefined;
  readonly groupSize: number | undefined;
  readonly arg: readonly string[] | undefined;
  readonly args: JsonObject | undefined;
  readonly split: Split | undefined;
  readonly seed: number | undefined;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly maxTurns: number | undefined;
  readonly system: string | undefined;
  readonly harness: string | undefined;
  readonly baseUrl: string | undefined;
  readonly key: string | undefined;
  readonly endpoints: string | undefined;
  readonly envFile: readonly string[] | undefined;
  readonly concurrency: number | undefined;
  readonly workers: number | undefined;
  readonly sandbox: SandboxName | undefined;
  readonly retries: number | undefined;
  readonly set: readonly string[] | undefined;
  readonly output: string | undefined;
  /** "" where no folder was named. */
  readonly resume: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}
