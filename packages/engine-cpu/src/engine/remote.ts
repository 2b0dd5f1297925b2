// Trainer and samplers as the program sees them: each call is one message. What the caller hands in stays the caller's.
import type { GenerateRequest, PolicyRef, Sample, Sampler, Trainer } from "@hone/core";
import type { Connection } from "./connection.ts";
import { compact } from "./protocol.ts";

/** Messages arrive in the order they were sent, so calls run in the order they were made. */
export function remoteTrainer(connection: Connection, trainer: number): Trainer {
  return {
    forwardBackward: (samples, loss) =>
      connection.call("forwardBackward", { trainer, samples: samples.map(wireSample), loss }),
    update: (step) => connection.call("update", { trainer, step }),
    publish: () => connection.call("publish", { trainer }),
    save: (name) => connection.call("save", { trainer, name }),
    export: async (directory) => {
      await connection.call("export", { trainer, directory });
    },
  };
}

export function remoteSampler(connection: Connection, policy: PolicyRef): Sampler {
  return {
    policy,
    generate: (request, { signal }) => connection.call("generate", { policy, request: wireRequest(request) }, signal),
    score: (sequences, { temperature, signal }) =>
      connection.call("score", { policy, sequences: sequences.map(compact), temperature }, signal),
  };
}

/** `extras` are carried by samples and read by nobody here. */
function wireSample({ extras: _extras, ...sample }: Sample): Sample {
  const { tokens, weight, advantage, logprob, reference } = sample;
  return {
    ...sample,
    tokens: compact(tokens),
    weight: compact(weight),
    advantage: compact(advantage),
    logprob: compact(logprob),
    ...(reference !== undefined && { reference: compact(reference) }),
  };
}

function wireRequest({ prompt, ...request }: GenerateRequest): GenerateRequest {
  return { ...request, prompt: compact(prompt) };
}
