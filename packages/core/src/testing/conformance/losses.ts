// Loss checks: what a trainer reports and how it moves, against the definitions in loss.ts.
import { forwardBackwardCustom, type LossSpec, lossTerm, type LossType } from "../../loss.ts";
import { concatRuns, runsOf } from "../../runs.ts";
import type { Sample } from "../../sample.ts";
import {
  type Check,
  expectDifferent,
  expectNumber,
  expectRefused,
  expectSame,
  offPolicy,
  openTrainer,
  reasonOf,
  type Rig,
  sampleFrom,
  scoreSample,
  stepOf,
} from "./rig.ts";

/** Clips and masks that some of the ratios of `offPolicy` pass and some do not. */
const losses: { readonly [Type in LossType]: Extract<LossSpec, { readonly type: Type }> } = {
  none: { type: "none" },
  cross_entropy: { type: "cross_entropy" },
  importance_sampling: { type: "importance_sampling" },
  ppo: { type: "ppo", clipLow: 0.8, clipHigh: 1.2 },
  cispo: { type: "cispo", clipLow: 0.8, clipHigh: 1.2 },
  dro: { type: "dro", beta: 0.5 },
  dppo: { type: "dppo", maskLow: 0.001, maskHigh: 0.001, klWeight: 0.1 },
};

export function lossChecks(check: Check): void {
  check('loss "none" gives logprobs and no gradient', async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const before = await scoreSample(rig, sample);
    const report = await trainer.forwardBackward([sample], losses.none);
    rig.expect(report.loss + 0).toBe(0);
    rig.expect(report.logprobs.length).toBe(1);
    expectSame(rig, report.logprobs[0] ?? new Float32Array(), before);
    rig.expect((await trainer.update(stepOf(rig))).gradientNorm).toBe(0);
    await trainer.publish();
    expectSame(rig, await scoreSample(rig, sample), before, { isRepeat: true });
  });

  for (const loss of Object.values(losses)) {
    check(
      `${loss.type}: the loss is the sum of weight x term`,
      async (rig) => {
        const trainer = await openTrainer(rig);
        const samples = await weightedSamples(rig);
        const report = await trainer.forwardBackward(samples, loss);
        let expected = 0;
        for (const [index, sample] of samples.entries()) {
          const logprobs = report.logprobs[index] ?? new Float32Array();
          rig.expect(logprobs.length, "a logprob for every token").toBe(sample.tokens.length);
          rig.expect(logprobs[0], "the first token follows nothing").toBe(0);
          for (const { weight, term } of terms(loss, logprobs, sample)) expected += weight * term;
        }
        expectNumber(rig, report.loss, expected, "loss");
      },
      ({ losses }) => (losses.includes(loss.type) ? undefined : `info.losses has no "${loss.type}"`),
    );

    if (loss.type === "none") continue;
    check(
      `${loss.type}: the gradient is that of weight x slope`,
      async (rig) => {
        const builtIn = await openTrainer(rig);
        const samples = await weightedSamples(rig);
        const [first] = samples;
        if (first === undefined) return;
        const before = await scoreSample(rig, first);
        await builtIn.forwardBackward(samples, loss);
        const expected = await builtIn.update(stepOf(rig));
        await builtIn.publish();
        const scored = await scoreSample(rig, first);

        const custom = await openTrainer(rig);
        await forwardBackwardCustom(custom, samples, (logprobs, sample) => {
          const parts = terms(loss, logprobs, sample);
          return { value: 0, gradient: Float32Array.from(parts, ({ weight, slope }) => weight * slope) };
        });
        const actual = await custom.update(stepOf(rig));
        await custom.publish();
        rig.expect(expected.gradientNorm).toBeGreaterThan(0);
        expectNumber(rig, expected.gradientNorm, actual.gradientNorm, "gradient");
        expectSame(rig, await scoreSample(rig, first), scored, { what: "the policy they make" });
        expectDifferent(rig, scored, before, "the update");
      },
      (info) => {
        const missing = [loss.type, "none", "cross_entropy"].find((type) => !info.losses.some((own) => own === type));
        return missing === undefined ? undefined : `info.losses has no "${missing}"`;
      },
    );
  }

  check("a loss that the engine does not list is refused", async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    for (const loss of Object.values(losses)) {
      if (rig.engine.info.losses.includes(loss.type)) continue;
      await expectRefused(rig, trainer.forwardBackward([sample], loss), loss.type, loss.type);
      await reasonOf(trainer.update(stepOf(rig)), "the update of a failed step");
    }
  });

  check("training sees the logprobs that sampling saw, at the temperature of the sample", async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig, { temperature: 0.6 });
    const [logprobs = new Float32Array()] = (await trainer.forwardBackward([sample], losses.none)).logprobs;
    const sampled = logprobs.map((value, at) => (sample.weight[at] === 0 ? 0 : value));
    expectSame(rig, sampled, sample.logprob, { what: "trainer against sampler" });
    const cold = { ...sample, temperature: runsOf(1, sample.tokens.length) };
    const [atOne = new Float32Array()] = (await trainer.forwardBackward([cold], losses.none)).logprobs;
    expectDifferent(rig, atOne, logprobs, "another temperature");
  });

  check(
    "the temperature of training is that of each token",
    async (rig) => {
      const trainer = await openTrainer(rig);
      const sample = await sampleFrom(rig);
      const { length } = sample.tokens;
      const half = Math.floor(length / 2);
      const mixed = { ...sample, temperature: concatRuns([runsOf(0.5, half), runsOf(2, length - half)]) };
      const [actual = new Float32Array()] = (await trainer.forwardBackward([mixed], losses.none)).logprobs;
      const low = await scoreSample(rig, sample, { temperature: 0.5 });
      const high = await scoreSample(rig, sample, { temperature: 2 });
      expectSame(rig, actual, Float32Array.of(...low.subarray(0, half), ...high.subarray(half)));
    },
    ({ temperature }) => (temperature === "per-token" ? undefined : "info.temperature is one for all"),
  );
}

/** Two samples of different length, weights that differ, ratios on both sides of 1. */
async function weightedSamples(rig: Rig): Promise<Sample[]> {
  const one = offPolicy(await sampleFrom(rig, { seed: 1 }));
  const two = offPolicy(await sampleFrom(rig, { seed: 2, maxTokens: 5 }));
  return [{ ...one, weight: one.weight.map((weight, at) => weight * (0.25 + (at % 4) / 4)) }, two];
}

interface WeightedTerm {
  readonly weight: number;
  readonly term: number;
  readonly slope: number;
}

/** Per token; nothing for the first one and where the weight is 0. */
function terms(loss: LossSpec, logprobs: Float32Array, { weight, logprob, advantage }: Sample): WeightedTerm[] {
  return Array.from(weight, (value, at) => {
    if (at === 0 || value === 0) return { weight: 0, term: 0, slope: 0 };
    return { weight: value, ...lossTerm(loss, logprobs[at] ?? 0, logprob[at] ?? 0, advantage[at] ?? 0) };
  });
}
