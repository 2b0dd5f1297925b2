// Task ← data: what fetching data takes from the machine it runs on, handed in so that tests need no real clock, home or environment.
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HoneError } from "@hone/core";

export interface DataMachine {
  /** HONE_CACHE, HONE_DATA, HONE_OFFLINE, HF_ENDPOINT, HF_TOKEN. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  readonly patience: Patience;
}
export interface Patience {
  /** Failures in a row, without progress between them, before a download is given up. */
  readonly attempts: number;
  /** The first wait between attempts; it doubles. */
  readonly retryMs: number;
  /** Longest silence of a server. */
  readonly stallMs: number;
}

export function thisMachine(): DataMachine {
  return {
    env: process.env,
    home: homedir(),
    sleep: async (milliseconds, signal) => {
      await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() =>
        signal?.throwIfAborted(),
      );
    },
    random: Math.random,
    patience: { attempts: 6, retryMs: 500, stallMs: 60_000 },
  };
}

export function cacheDirectory({ env, home }: DataMachine): string {
  return join(env["HONE_CACHE"] || join(home, ".cache", "hone"), "datasets");
}

export function isOffline({ env }: DataMachine): boolean {
  return env["HONE_OFFLINE"] === "1" || env["HONE_OFFLINE"] === "true";
}

export function hubEndpoint({ env }: DataMachine): URL {
  const text = env["HF_ENDPOINT"] || "https://huggingface.co";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw new HoneError("HF_ENDPOINT is not an http address.", {
    code: "hub-endpoint",
    hint: "For example: HF_ENDPOINT=https://huggingface.co",
  });
}

/** A name of any characters as one part of a path. */
export function pathPart(name: string): string {
  return encodeURIComponent(name).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E"));
}
