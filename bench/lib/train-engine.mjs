// An engine that answers at once: the same reply to every prompt, no arithmetic in its updates. What a run on it costs is orchestration.
// Its trainer packs every batch into rows, as a real one does.
import { pack, packedColumns } from "@hone/core";

const rowTokens = 8192;

/** Packs samples and gives the number of tokens that are in the rows. */
export function packAll(samples) {
  let tokens = 0;
  for (const row of pack(samples, { rowTokens })) tokens += packedColumns(samples, row).tokens.length;
  return tokens;
}

/** `reply`: the ids it samples. `packed.tokens` counts what its trainer got. */
export function instantEngine(reply) {
  const packed = { tokens: 0 };
  let version = 0;
  const trainer = {
    forwardBackward: async (samples) => {
      packed.tokens += packAll(samples);
      return { loss: 0, logprobs: samples.map(({ logprob }) => logprob), metrics: {} };
    },
    update: async () => ({ version: ++version, gradientNorm: 1, metrics: {} }),
    publish: async () => ({ version }),
    save: async (name) => ({ checkpoint: name }),
    export: async () => undefined,
  };
  const sequence = () => ({
    ids: Int32Array.from(reply),
    logprobs: new Float32Array(reply.length).fill(-0.5),
    policyVersion: { values: [version], lengths: [reply.length] },
    finish: "stop",
  });
  const engine = {
    info: { name: "instant", model: "instant", contextTokens: 1 << 20 },
    open: async () => trainer,
    sampler: (policy) => ({ policy, generate: async () => ({ sequences: [sequence()] }) }),
    pressure: () => ({ running: 256, queued: 0, capacity: 256 }),
    close: async () => undefined,
  };
  return { engine, packed };
}
