// How much is kept of what is being sampled: keys and values in pages, and with them the longest sequence. A wish that does not fit is
// refused; a context that nobody asked for is lowered to what fits, and said.
import { HoneError } from "@hone/core";
import { capacity, pageTokens, usualCacheBytes } from "../engine/defaults.ts";
import type { DecoderConfig } from "../model/config.ts";
import { pageBytes } from "../model/step-model.ts";

export interface CacheWishes {
  readonly cacheBytes?: number;
  readonly contextTokens?: number;
}

export interface CachePlan {
  readonly pages: number;
  readonly pageTokens: number;
  readonly contextTokens: number;
  /** Sequences at once. */
  readonly capacity: number;
  readonly notice?: string;
}

/** `config` has the context that the model has, or the lower one that was wished for. */
export function planCache(config: DecoderConfig, wishes: CacheWishes): CachePlan {
  const { cacheBytes, contextTokens } = wishes;
  checkWish("cacheBytes", cacheBytes);
  checkWish("contextTokens", contextTokens);
  const bytesPerPage = pageBytes(config, pageTokens);
  const longest = Math.ceil(config.contextTokens / pageTokens);
  const affordable = Math.floor((cacheBytes ?? usualCacheBytes) / bytesPerPage);
  const isStretched = cacheBytes === undefined && contextTokens !== undefined;
  // More than this could never be in use at the same time.
  const pages = Math.min(isStretched ? Math.max(affordable, longest) : affordable, capacity * longest);
  if (pages >= longest) return { pages, pageTokens, capacity, contextTokens: config.contextTokens };
  const fits = pages * pageTokens;
  if (contextTokens !== undefined || fits === 0) {
    throw new HoneError(
      `cacheBytes is ${cacheBytes}: keys and values of ${fits} tokens, and contextTokens is ${config.contextTokens}`,
      { code: "config", hint: `A sequence of that length needs ${longest * bytesPerPage} bytes.` },
    );
  }
  const notice = `keys and values of ${fits} tokens fit into ${cacheBytes ?? usualCacheBytes} bytes: that is the context, instead of ${config.contextTokens}; contextTokens or cacheBytes change it`;
  return { pages, pageTokens, capacity, contextTokens: fits, notice };
}

function checkWish(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return;
  throw new HoneError(`${name} is ${value}; it must be a whole number above 0`, { code: "config" });
}
