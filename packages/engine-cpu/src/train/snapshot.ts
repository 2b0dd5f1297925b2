// A policy that later updates do not change: a copy of what is trained. The model under an adapter is shared.
import type { Kernels } from "../kernel/kernels.ts";
import { copyDecoder } from "../model/assemble.ts";
import type { PolicyWeights } from "../model/weights.ts";
import { copyLora } from "./lora.ts";

export function snapshotPolicy(kernels: Kernels, { version, decoder, adapter }: PolicyWeights): PolicyWeights {
  if (adapter !== undefined) return { version, decoder, adapter: copyLora(kernels.memory, adapter) };
  return { version, decoder: copyDecoder(kernels, decoder) };
}
