// The suite is worth what it catches: each engine here breaks one promise, and the check that states the promise has to fail.
import { describe, expect, test } from "vitest";
import type { Engine, Sampler, Trainer } from "../engine.ts";
import type { TestContext } from "./conformance/rig.ts";
import { engineConformance } from "./engine-conformance.ts";
import { type CheckpointStore, memoryCheckpoints } from "./toy-checkpoint.ts";
import { createToyEngine } from "./toy-engine.ts";

/** Runs the suite outside of vitest and gives the names of the checks that failed. */
async function failuresOf(change: (engine: Engine) => Engine): Promise<string[]> {
  const checks: { name: string; body: (context: TestContext) => Promise<void> }[] = [];
  engineConformance(
    {
      name: "broken",
      create: () => change(createToyEngine({ vocabularySize: 24 })),
      adapter: "full",
      prompt: Int32Array.of(3, 1, 4),
      vocabularySize: 24,
    },
    { describe: (_name, body) => body(), test: (name, body) => checks.push({ name, body }), expect },
  );
  const failed: string[] = [];
  for (const { name, body } of checks) await body({ skip: () => undefined }).catch(() => failed.push(name));
  return failed;
}

const withTrainer =
  (change: (trainer: Trainer) => Partial<Trainer>) =>
  (engine: Engine): Engine => ({
    ...engine,
    open: async (spec) => {
      const trainer = await engine.open(spec);
      return { ...trainer, ...change(trainer) };
    },
  });
const withSampler =
  (change: (sampler: Sampler) => Partial<Sampler>) =>
  (engine: Engine): Engine => ({
    ...engine,
    sampler: (policy) => {
      const sampler = engine.sampler(policy);
      return { ...sampler, ...change(sampler) };
    },
  });
/** The last two thirds of what follows the header line are the moments. */
const withoutMoments = (store: CheckpointStore): CheckpointStore => ({
  ...store,
  write: (name, bytes) => {
    const start = bytes.indexOf(10) + 1;
    return store.write(name, bytes.slice().fill(0, start + (bytes.length - start) / 3));
  },
});
const never = new AbortController().signal;

const broken: Record<string, [failing: string, change: (engine: Engine) => Engine]> = {
  "averages over samples": [
    "the loss and the gradient of a batch are the sums over its samples",
    withTrainer((trainer) => ({
      forwardBackward: (samples, loss) => {
        const scaled = samples.map((sample) => ({
          ...sample,
          weight: sample.weight.map((weight) => weight / samples.length),
        }));
        return trainer.forwardBackward(scaled, loss);
      },
    })),
  ],
  "forgets the gradient of earlier calls": [
    "gradients add up over calls",
    withTrainer((trainer) => {
      let last: Parameters<Trainer["forwardBackward"]> | undefined;
      return {
        forwardBackward: async (samples, loss) => {
          last = [samples, loss];
          return trainer.forwardBackward(samples, { type: "none" });
        },
        update: async (step) => {
          if (last !== undefined) await trainer.forwardBackward(...last);
          last = undefined;
          return trainer.update(step);
        },
      };
    }),
  ],
  "trains on the context": [
    "a token of weight 0 contributes nothing",
    withTrainer((trainer) => ({
      forwardBackward: (samples, loss) =>
        trainer.forwardBackward(
          samples.map((sample) => ({ ...sample, weight: sample.weight.map((weight) => weight + 0.001) })),
          loss,
        ),
    })),
  ],
  "updates although a forwardBackward failed": [
    "a failed forwardBackward fails the update queued behind it and leaves the policy as it was",
    withTrainer((trainer) => ({
      forwardBackward: async (samples, loss) => {
        if (samples.some(({ tokens }) => tokens.includes(24))) throw new Error("bad token");
        return trainer.forwardBackward(samples, loss);
      },
    })),
  ],
  "runs calls as they come": [
    "calls run in the order they were made, awaited or not",
    withTrainer((trainer) => ({
      forwardBackward: async (samples, loss) => {
        await new Promise((resolve) => setTimeout(resolve));
        return trainer.forwardBackward(samples, loss);
      },
    })),
  ],
  "does not clip": [
    "ppo: the loss is the sum of weight x term",
    withTrainer((trainer) => ({
      forwardBackward: (samples, loss) =>
        trainer.forwardBackward(samples, loss.type === "ppo" ? { type: "importance_sampling" } : loss),
    })),
  ],
  "stops the gradient of clipped tokens in cispo": [
    "cispo: the gradient is that of weight x slope",
    withTrainer((trainer) => ({
      forwardBackward: async (samples, loss) => {
        if (loss.type !== "cispo") return trainer.forwardBackward(samples, loss);
        await trainer.forwardBackward(samples, { type: "ppo", clipLow: loss.clipLow, clipHigh: loss.clipHigh });
        return trainer.forwardBackward(samples, { type: "none" });
      },
    })),
  ],
  "trains at temperature 1": [
    "training sees the logprobs that sampling saw, at the temperature of the sample",
    withTrainer((trainer) => ({
      forwardBackward: (samples, loss) =>
        trainer.forwardBackward(
          samples.map((sample) => ({ ...sample, temperature: { values: [1], lengths: [sample.tokens.length] } })),
          loss,
        ),
    })),
  ],
  "resumes without its optimiser": [
    "a run opened from a checkpoint goes on as if it had not been interrupted",
    () => createToyEngine({ vocabularySize: 24, checkpoints: withoutMoments(memoryCheckpoints()) }),
  ],
  "publishes what is not a snapshot": [
    "a published policy never changes: a sampler pinned to it keeps it",
    (engine) => ({
      ...engine,
      sampler: (policy) => ({ ...engine.sampler(typeof policy === "string" ? policy : "latest"), policy }),
    }),
  ],
  "shows policies before they are published": [
    '"latest" changes when a policy is published, not when it is made',
    withTrainer((trainer) => ({
      update: async (step) => {
        const report = await trainer.update(step);
        await trainer.publish();
        return report;
      },
    })),
  ],
  "draws its noise in order of arrival": [
    "a sequence depends neither on how many are asked for nor on what else is running",
    (engine) => {
      let calls = 0;
      return withSampler((sampler) => ({
        generate: (request, options) =>
          sampler.generate({ ...request, sampling: { ...request.sampling, seed: calls++ } }, options),
      }))(engine);
    },
  ],
  "reports logprobs of temperature 1": [
    "sampled logprobs are those of score, at the temperature of sampling",
    withSampler((sampler) => ({
      generate: async (request, options) => {
        const { sequences } = await sampler.generate(request, options);
        const whole = sequences.map(({ ids }) => Int32Array.of(...request.prompt, ...ids));
        const logprobs = await sampler.score(whole, { temperature: 1, ...options });
        return {
          sequences: sequences.map((sequence, index) => ({
            ...sequence,
            logprobs: logprobs[index]!.slice(request.prompt.length),
          })),
        };
      },
    })),
  ],
  "swallows the stop token": [
    "a stop token ends a sequence and is part of it",
    withSampler((sampler) => ({
      generate: async (request, options) => ({
        sequences: (await sampler.generate(request, options)).sequences.map((sequence) =>
          sequence.finish === "stop" ? { ...sequence, ids: sequence.ids.slice(0, -1) } : sequence,
        ),
      }),
    })),
  ],
  "ignores the signal": [
    "a cancelled call rejects with the signal's reason, before it starts and while it runs",
    withSampler((sampler) => ({ generate: (request) => sampler.generate(request, { signal: never }) })),
  ],
  "does not close": [
    "after close every call rejects, and closing again is harmless",
    (engine) => ({ ...engine, close: async () => undefined }),
  ],
};

describe("an engine that breaks a promise fails the check that states it", () => {
  for (const [name, [failing, change]] of Object.entries(broken)) {
    test(`one that ${name}`, async () => {
      expect(await failuresOf(change)).toContain(failing);
    });
  }

  test("one that keeps all of them fails none", async () => {
    expect(await failuresOf((engine) => engine)).toEqual([]);
  });
});
