// The arrays of a policy that belong to it alone. An adapter's policy shares the decoder with the base; a fully trained one shares nothing.
import { parametersOf } from "../model/assemble.ts";
import type { PolicyWeights } from "../model/weights.ts";

/** Each once, also where head and embedding are the same. */
export function ownArrays(policy: PolicyWeights, base: PolicyWeights): readonly Float32Array[] {
  const shared = new Set(parametersOf(base.decoder).map(({ values }) => values));
  const all = policy.decoder === base.decoder ? [] : parametersOf(policy.decoder).map(({ values }) => values);
  for (const { a, b } of policy.adapter?.parts.values() ?? []) all.push(a, b);
  return all.filter((array) => !shared.has(array));
}
