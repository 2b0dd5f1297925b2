// How free the program's own thread stays while hone/tiny is trained and sampled at once: delays of the event loop, in milliseconds.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { runsOf } from "@hone/core";
import { createCpuEngine } from "@hone/engine-cpu";
import { tinyModelFolder } from "@hone/tiny";

const resolution = 5;

export async function eventLoopDelays() {
  const checkpoints = await mkdtemp(join(tmpdir(), "hone-bench-engine-"));
  const engine = await createCpuEngine({ model: tinyModelFolder, name: "tiny", checkpoints });
  try {
    const trainer = await engine.open({ model: "tiny", adapter: "full" });
    const delay = monitorEventLoopDelay({ resolution });
    delay.enable();
    for (let step = 0; step < 3; step++) {
      await Promise.all([
        trainer.forwardBackward(samples(64, 128), { type: "cross_entropy" }),
        trainer.update({ learningRate: 1e-4, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0, gradientClip: 1 }),
        trainer.publish(),
        generate(engine, step),
      ]);
    }
    delay.disable();
    // The monitor's own interval is in every reading.
    return { p99: delay.percentile(99) / 1e6 - resolution, most: delay.max / 1e6 - resolution };
  } finally {
    await engine.close();
    await rm(checkpoints, { recursive: true });
  }
}

function generate(engine, seed) {
  const sampling = { maxTokens: 64, temperature: 1, seed, stopTokens: [] };
  const request = { prompt: Int32Array.of(72, 101, 108, 108, 111), count: 64, sampling };
  return engine.sampler("latest").generate(request, { signal: new AbortController().signal });
}

function samples(count, tokens) {
  return Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    rollout: "r",
    agent: "agent",
    env: "bench",
    branch: 0,
    tokens: Int32Array.from({ length: tokens }, (_, at) => 32 + ((at * 7 + index) % 90)),
    weight: new Float32Array(tokens).fill(1 / (count * tokens)),
    advantage: new Float32Array(tokens),
    logprob: new Float32Array(tokens),
    temperature: runsOf(1, tokens),
    policyVersion: runsOf(0, tokens),
  }));
}
