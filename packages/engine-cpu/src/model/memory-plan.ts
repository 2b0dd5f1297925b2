// What training and sampling a model will take, before anything is loaded. Weights, gradients and caches are exact; activations are the
// arena's for one row of tokens, counted operation by operation as the decoder takes them.
import { adapterTargets } from "./adapter-targets.ts";
import { outputLayer, parameterShapes } from "./assemble.ts";
import type { DecoderConfig } from "./config.ts";
import { pageBytes } from "./step-model.ts";

export interface MemoryPlanOptions {
  /** Full training, or an adapter: on "all-linear" unless its targets are given. */
  readonly adapter: { readonly rank: number; readonly targets?: readonly string[] } | "full";
  /** Tokens that are trained on at once. */
  readonly rowTokens: number;
  readonly isRecomputing: boolean;
  readonly cacheBytes: number;
  /** Policies that are held for sampling beside the one in training. */
  readonly snapshots: number;
}
type Adapter = MemoryPlanOptions["adapter"];
export interface MemoryPart {
  readonly name: string;
  readonly bytes: number;
}

const floatBytes = 4;

export function memoryPlan(config: DecoderConfig, options: MemoryPlanOptions): readonly MemoryPart[] {
  const { adapter, rowTokens, isRecomputing, cacheBytes, snapshots } = options;
  const weights = parameterShapes(config).reduce((sum, { shape }) => sum + product(shape), 0) * floatBytes;
  const isFull = adapter === "full";
  const trained = isFull ? weights : adapterFloats(config, adapter) * floatBytes;
  const rope = config.contextTokens * config.headWidth * floatBytes;
  const rank = isFull ? 0 : adapter.rank;
  const pages = Math.max(1, Math.floor(cacheBytes / pageBytes(config, 16)));
  return [
    { name: "model", bytes: weights + rope },
    { name: isFull ? "weights in training" : "adapter", bytes: trained },
    { name: "gradient", bytes: trained },
    { name: "moments of Adam", bytes: 2 * trained },
    { name: "policies for sampling", bytes: snapshots * trained },
    {
      name: `activations of ${rowTokens} tokens`,
      bytes: rowTokens * activationFloats(config, rank, isRecomputing) * floatBytes,
    },
    { name: "keys and values", bytes: pages * pageBytes(config, 16) },
  ];
}

function adapterFloats(config: DecoderConfig, { rank, targets = ["all-linear"] }: Exclude<Adapter, "full">): number {
  const linear = parameterShapes(config).filter(({ name }) => name.endsWith("_proj.weight"));
  const sizes = new Map(linear.map(({ name, shape }) => [name.slice(0, -".weight".length), shape[0]! + shape[1]!]));
  sizes.set(outputLayer, config.vocabulary + config.width);
  return adapterTargets([...sizes.keys()], targets).reduce((sum, name) => sum + rank * sizes.get(name)!, 0);
}

/** Of one token: what a layer keeps for its gradient, times layers (once where they are computed again), and one layer's gradients. */
function activationFloats(config: DecoderConfig, rank: number, isRecomputing: boolean): number {
  const { width, mlpWidth, heads, keyHeads, headWidth, layers, hasHeadNorms } = config;
  const [query, key] = [heads * headWidth, keyHeads * headWidth];
  const headNorms = hasHeadNorms ? query + key + heads + keyHeads : 0;
  const attention = width + 1 + query + 2 * key + headNorms + query + heads + width;
  const mlp = width + 1 + 3 * mlpWidth + width;
  const layer = attention + mlp + 7 * rank;
  const kept = isRecomputing ? layers * width + layer : layers * layer;
  const gradients = width + Math.max(2 * query + 2 * key + width, 3 * mlpWidth + width) + rank;
  return width + kept + gradients + 4 * width;
}

function product(shape: readonly number[]): number {
  return shape.reduce((total, size) => total * size, 1);
}
