// Refuses what the kernels could not compute, at the call and by name.
import { HoneError } from "@hone/core";
import type { DecoderConfig } from "./config.ts";

/** `what` names the sequence in the error. */
export function checkTokens(
  ids: Int32Array,
  { vocabulary, contextTokens }: Pick<DecoderConfig, "vocabulary" | "contextTokens">,
  what: string,
): void {
  if (ids.length > contextTokens) {
    throw badRequest(`${what} has ${ids.length} tokens; the context of the model is ${contextTokens}`);
  }
  const at = ids.findIndex((id) => id < 0 || id >= vocabulary);
  if (at >= 0)
    throw badRequest(`${what}: token ${ids[at]} at position ${at} is outside the vocabulary of ${vocabulary}`);
}

export function badRequest(message: string): HoneError {
  return new HoneError(message, { code: "bad-request" });
}
