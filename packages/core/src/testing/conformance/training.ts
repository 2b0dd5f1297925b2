// Training checks: call order, failure, reduction by sum, versions, learning, checkpoints.
import type { Trainer } from "../../engine.ts";
import type { Sample } from "../../sample.ts";
import {
  type Check,
  expectDifferent,
  expectNumber,
  expectRefused,
  expectSame,
  openTrainer,
  reasonOf,
  type Rig,
  sampleFrom,
  scoreSample,
  stepOf,
} from "./rig.ts";

const importance = { type: "importance_sampling" } as const;

export function trainingChecks(check: Check): void {
  check("calls run in the order they were made, awaited or not", async (rig) => {
    const awaited = await openTrainer(rig);
    const [first, second] = [await sampleFrom(rig, { seed: 1 }), await sampleFrom(rig, { seed: 2 })];
    for (const sample of [first, second]) {
      await awaited.forwardBackward([sample], importance);
      await awaited.update(stepOf(rig));
    }
    await awaited.publish();
    const expected = await scoreSample(rig, first);

    const trainer = await openTrainer(rig);
    const [, one, , two, published] = await Promise.all([
      trainer.forwardBackward([first], importance),
      trainer.update(stepOf(rig)),
      trainer.forwardBackward([second], importance),
      trainer.update(stepOf(rig)),
      trainer.publish(),
    ]);
    rig.expect([one.version, two.version, published.version]).toEqual([1, 2, 2]);
    expectSame(rig, await scoreSample(rig, first), expected, { isRepeat: true });
  });

  check("a failed forwardBackward fails the update queued behind it and leaves the policy as it was", async (rig) => {
    const clean = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const before = await scoreSample(rig, sample);
    await clean.forwardBackward([sample], importance);
    const { gradientNorm } = await clean.update(stepOf(rig));

    const trainer = await openTrainer(rig);
    const outcomes = [
      trainer.forwardBackward([sample], importance),
      reasonOf(trainer.forwardBackward([withToken(sample, rig.options.vocabularySize)], importance), "a bad token"),
      reasonOf(trainer.update(stepOf(rig)), "the update of a failed step"),
      trainer.publish(),
    ];
    rig.expect((await Promise.all(outcomes)).at(-1)).toEqual({ version: 0 });
    expectSame(rig, await scoreSample(rig, sample), before, { isRepeat: true });

    await trainer.forwardBackward([sample], importance);
    const next = await trainer.update(stepOf(rig));
    rig.expect(next.version, "the next step counts as if the failed one had not been").toBe(1);
    expectNumber(rig, next.gradientNorm, gradientNorm, "nothing is left of the failed step's gradient");
  });

  check("update n makes policy n, and the gradient is zero after it", async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    await trainer.forwardBackward([sample], importance);
    const first = await trainer.update(stepOf(rig));
    rig.expect(first.version).toBe(1);
    rig.expect(first.gradientNorm).toBeGreaterThan(0);
    rig
      .expect(await trainer.update(stepOf(rig)).then(({ version, gradientNorm }) => [version, gradientNorm]))
      .toEqual([2, 0]);
    rig.expect(await trainer.publish()).toEqual({ version: 2 });
    rig.expect(await trainer.publish(), "publishing is not an update").toEqual({ version: 2 });
  });

  check("the loss and the gradient of a batch are the sums over its samples", async (rig) => {
    await openTrainer(rig);
    const [one, two] = [await sampleFrom(rig, { seed: 1 }), await sampleFrom(rig, { seed: 2, maxTokens: 3 })];
    const alone = [await measure(rig, [[one]]), await measure(rig, [[two]])];
    const together = await measure(rig, [[one, two]]);
    expectNumber(rig, together.loss, alone[0]!.loss + alone[1]!.loss, "loss of two samples");
    const twice = await measure(rig, [[one, one]]);
    expectNumber(rig, twice.gradientNorm, 2 * alone[0]!.gradientNorm, "gradient of one sample twice");
  });

  check("gradients add up over calls", async (rig) => {
    await openTrainer(rig);
    const [one, two] = [await sampleFrom(rig, { seed: 1 }), await sampleFrom(rig, { seed: 2 })];
    const once = await measure(rig, [[one, two]]);
    const split = await measure(rig, [[one], [two]]);
    expectNumber(rig, split.gradientNorm, once.gradientNorm, "gradient of two calls");
    expectSame(rig, split.scored, once.scored, { what: "the policy they make" });
  });

  check("a token of weight 0 contributes nothing", async (rig) => {
    await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const half = { ...sample, weight: sample.weight.map((weight, at) => (at % 2 === 0 ? weight : 0)) };
    const noisy = { ...half, advantage: half.advantage.map((value, at) => (half.weight[at] === 0 ? 1e6 : value)) };
    const [expected, actual] = [await measure(rig, [[half]]), await measure(rig, [[noisy]])];
    expectNumber(rig, actual.loss, expected.loss, "loss");
    expectNumber(rig, actual.gradientNorm, expected.gradientNorm, "gradient");
    const silent = await measure(rig, [[{ ...sample, weight: new Float32Array(sample.weight.length) }]]);
    rig.expect([silent.loss + 0, silent.gradientNorm]).toEqual([0, 0]);
  });

  check("bad input is refused, names what is wrong, and the engine stays usable", async (rig) => {
    const trainer = await openTrainer(rig);
    const { vocabularySize } = rig.options;
    const sample = await sampleFrom(rig);
    const refused: [what: string, samples: Sample[], mentions: string][] = [
      ["an empty batch", [], ""],
      ["a token beyond the vocabulary", [sample, withToken(sample, vocabularySize)], String(vocabularySize)],
      ["a negative token", [withToken(sample, -1)], "-1"],
      ["a column that is too short", [{ ...sample, advantage: sample.advantage.subarray(1) }], "advantage"],
      ["a weight that is not a number", [{ ...sample, weight: sample.weight.map(() => Number.NaN) }], sample.id],
    ];
    for (const [what, samples, mentions] of refused) {
      await expectRefused(rig, trainer.forwardBackward(samples, importance), what, mentions);
      await reasonOf(trainer.update(stepOf(rig)), `the update after ${what}`);
    }
    await trainer.forwardBackward([sample], importance);
    rig.expect((await trainer.update(stepOf(rig))).version).toBe(1);
    await expectRefused(rig, trainer.update(stepOf(rig, { learningRate: Number.NaN })), "a learning rate of NaN");
  });

  check("a model or an adapter that the engine does not have is refused at open", async (rig) => {
    const { engine, options } = rig;
    await expectRefused(rig, engine.open({ model: "no/such-model", adapter: options.adapter }), "an unknown model");
    const lora = { rank: 2, alpha: 4, targets: [], seed: 0 };
    for (const [tuning, adapter] of Object.entries({ lora, full: "full" as const })) {
      if (engine.info.tuning.some((known) => known === tuning)) continue;
      await expectRefused(rig, engine.open({ model: engine.info.model, adapter }), `tuning "${tuning}"`);
    }
    await expectRefused(rig, openTrainer(rig, { checkpoint: "no-such-checkpoint" }), "an unknown checkpoint");
  });

  check("opening again ends the trainer before, and starts from policy 0", async (rig) => {
    const replaced = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const before = await scoreSample(rig, sample);
    await replaced.forwardBackward([sample], importance);
    await replaced.update(stepOf(rig));
    await replaced.publish();
    const trainer = await openTrainer(rig);
    await reasonOf(replaced.update(stepOf(rig)), "a trainer that was replaced");
    expectSame(rig, await scoreSample(rig, sample), before, { isRepeat: true });
    rig.expect(await trainer.publish()).toEqual({ version: 0 });
  });

  check("tokens with positive advantage become likelier, with negative ones less likely", async (rig) => {
    const sum = (column: Float32Array): number => column.reduce((total, value) => total + value, 0);
    for (const sign of [1, -1]) {
      const trainer = await openTrainer(rig);
      let sample = await sampleFrom(rig);
      sample = { ...sample, advantage: sample.advantage.map(() => sign) };
      const before = sum(await scoreSample(rig, sample));
      for (let update = 0; update < 5; update++) {
        const report = await trainer.forwardBackward([sample], importance);
        await trainer.update(stepOf(rig));
        sample = { ...sample, logprob: report.logprobs[0] ?? sample.logprob };
      }
      await trainer.publish();
      rig.expect(sign * (sum(await scoreSample(rig, sample)) - before)).toBeGreaterThan(rig.options.tolerance);
    }
  });

  check("a learning rate of 0 changes nothing but the version", async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const before = await scoreSample(rig, sample);
    await trainer.forwardBackward([sample], importance);
    rig.expect((await trainer.update(stepOf(rig, { learningRate: 0 }))).version).toBe(1);
    await trainer.publish();
    expectSame(rig, await scoreSample(rig, sample), before, { isRepeat: true });
  });

  check("a run opened from a checkpoint goes on as if it had not been interrupted", async (rig) => {
    const trainer = await openTrainer(rig);
    const samples: Sample[] = [];
    for (const seed of [1, 2, 3, 4]) samples.push(await sampleFrom(rig, { seed }));
    const train = async (trainer: Trainer, from: number, to: number): Promise<void> => {
      for (const sample of samples.slice(from, to)) {
        await trainer.forwardBackward([sample], importance);
        rig.expect((await trainer.update(stepOf(rig))).version).toBe(samples.indexOf(sample) + 1);
      }
      await trainer.publish();
    };
    await train(trainer, 0, 2);
    const saved = await trainer.save("conformance");
    const middle = await scoreSample(rig, samples[0]!);
    await train(trainer, 2, 4);
    const expected = await scoreSample(rig, samples[0]!);
    expectDifferent(rig, expected, middle, "the updates after the checkpoint");

    const resumed = await openTrainer(rig, saved);
    expectSame(rig, await scoreSample(rig, samples[0]!), middle, { isRepeat: true, what: "weights" });
    await train(resumed, 2, 4);
    expectSame(rig, await scoreSample(rig, samples[0]!), expected, { isRepeat: true, what: "weights and moments" });
  });
}

function withToken(sample: Sample, id: number): Sample {
  return { ...sample, tokens: sample.tokens.map((token, at) => (at === sample.tokens.length - 1 ? id : token)) };
}

interface Measured {
  readonly loss: number;
  readonly gradientNorm: number;
  /** The first sample under the policy that one update made. */
  readonly scored: Float32Array;
}

/** One step of a fresh trainer: a forwardBackward per batch, one update. */
async function measure(rig: Rig, batches: readonly (readonly Sample[])[]): Promise<Measured> {
  const trainer = await openTrainer(rig);
  let loss = 0;
  for (const batch of batches) loss += (await trainer.forwardBackward(batch, importance)).loss;
  const { gradientNorm } = await trainer.update(stepOf(rig));
  await trainer.publish();
  const first = batches[0]?.[0];
  return { loss, gradientNorm, scored: first === undefined ? new Float32Array() : await scoreSample(rig, first) };
}
