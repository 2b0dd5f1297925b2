// For tests: the dataset owner/sums (one config, two shards of 150 rows) on a test hub, and what reading it gives.
import { createHash } from "node:crypto";
import { HoneError, type Taskset } from "@hone/core";
import type { HubOptions } from "./from-hub.ts";
import { type DataMachine, thisMachine } from "./machine.ts";
import { parquetOf, type TestHub } from "./test-hub.ts";

export interface Sum {
  readonly question: string;
}
export const sums: HubOptions<Sum> = { dataset: "owner/sums", config: "main", split: "train" };

/** With digits that do not compress, so that a file has enough bytes to be cut. */
export function rowsOf(name: string, count: number): { readonly question: string }[] {
  return Array.from({ length: count }, (_, n) => ({
    question: `${name} ${n} ${createHash("md5").update(`${name}${n}`).digest("hex")}`,
  }));
}

export function publishSums(hub: TestHub): void {
  const urls = ["a", "b"].map((name, index) => {
    const path = `files/${index}.parquet`;
    hub.files.set(path, parquetOf(rowsOf(name, 150)));
    return `${hub.endpoint}/${path}`;
  });
  hub.views.set("api/datasets/owner/sums/parquet/main/train", urls);
  hub.views.set("api/datasets/owner/sums/parquet", { main: { train: urls } });
}

export function expectedSums(): string[] {
  return ["a", "b"].flatMap((name) => rowsOf(name, 150).map(({ question }) => question));
}

/** Quick to retry, and with no environment but the one given. */
export function testMachine(env: Readonly<Record<string, string>>): DataMachine {
  return { ...thisMachine(), env, patience: { attempts: 4, retryMs: 2, stallMs: 5_000 } };
}

export async function read(taskset: Taskset<Sum>): Promise<string[]> {
  const questions: string[] = [];
  for await (const { question } of taskset) questions.push(question);
  return questions;
}

export async function errorOf(work: Promise<unknown>): Promise<HoneError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!HoneError.is(error)) throw new Error(`no HoneError: ${String(error)}`);
  return error;
}
