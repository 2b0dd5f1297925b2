// Policy checks: what a sampler is bound to, what publishing shows, pressure, closing.
import type { EngineInfo, PolicyRef, Trainer } from "../../engine.ts";
import { expandRuns, runsLength } from "../../runs.ts";
import type { Sample } from "../../sample.ts";
import {
  type Check,
  expectDifferent,
  expectSame,
  generate,
  never,
  openTrainer,
  reasonOf,
  type Rig,
  sampleFrom,
  scoreSample,
  stepOf,
} from "./rig.ts";

const unlessPinned = (info: EngineInfo): string | undefined =>
  info.pinnedPolicies ? undefined : "info.pinnedPolicies is false";

export function policyChecks(check: Check): void {
  check('"latest" changes when a policy is published, not when it is made', async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const sampler = rig.engine.sampler("latest");
    const score = async (): Promise<Float32Array> =>
      (await sampler.score([sample.tokens], { temperature: 1, signal: never }))[0] ?? new Float32Array();
    const before = await score();
    await trainer.forwardBackward([sample], { type: "importance_sampling" });
    await trainer.update(stepOf(rig));
    expectSame(rig, await score(), before, { isRepeat: true, what: "updated, not published" });
    await trainer.publish();
    expectDifferent(rig, await score(), before, "published");
    const [sequence] = await generate(rig, { maxTokens: 4 });
    rig.expect(sequence?.policyVersion, "the version of each token").toEqual({ values: [1], lengths: [4] });
  });

  check('"base" is the model before training', async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const before = await scoreSample(rig, sample, { policy: "base" });
    expectSame(rig, await scoreSample(rig, sample), before, { what: "the policy a trainer starts with" });
    await trainOn(rig, trainer, sample);
    expectSame(rig, await scoreSample(rig, sample, { policy: "base" }), before, { isRepeat: true });
  });

  check(
    "a published policy never changes: a sampler pinned to it keeps it",
    async (rig) => {
      const trainer = await openTrainer(rig);
      const sample = await sampleFrom(rig);
      const pinned = rig.engine.sampler({ version: 0 });
      rig.expect(pinned.policy).toEqual({ version: 0 });
      const score = async (): Promise<Float32Array> =>
        (await pinned.score([sample.tokens], { temperature: 1, signal: never }))[0] ?? new Float32Array();
      const before = await score();
      await trainOn(rig, trainer, sample);
      const first = await scoreSample(rig, sample, { policy: { version: 1 } });
      expectDifferent(rig, first, before, "version 1 against version 0");
      await trainOn(rig, trainer, sample);
      expectSame(rig, await score(), before, { isRepeat: true, what: "version 0, twice later" });
      const later = await scoreSample(rig, sample, { policy: { version: 1 } });
      expectSame(rig, later, first, { isRepeat: true, what: "version 1, once later" });
      const latest = await scoreSample(rig, sample);
      expectSame(rig, await scoreSample(rig, sample, { policy: { version: 2 } }), latest, { isRepeat: true });
      const unknown = scoreSample(rig, sample, { policy: { version: 99 } });
      await reasonOf(unknown, "a policy that was never published");
    },
    unlessPinned,
  );

  check(
    "a checkpoint can be sampled from",
    async (rig) => {
      const trainer = await openTrainer(rig);
      const sample = await sampleFrom(rig);
      await trainOn(rig, trainer, sample);
      const expected = await scoreSample(rig, sample);
      const saved = await trainer.save("sampled");
      await trainOn(rig, trainer, sample);
      expectSame(rig, await scoreSample(rig, sample, { policy: saved }), expected);
      await reasonOf(scoreSample(rig, sample, { policy: { checkpoint: "none" } }), "a checkpoint that does not exist");
    },
    unlessPinned,
  );

  check(
    "every token has the logprob and the version of the policy that sampled it, also when policies change meanwhile",
    async (rig) => {
      const trainer = await openTrainer(rig);
      const { prompt } = rig.options;
      const sample = await sampleFrom(rig);
      const maxTokens = Math.min(96, rig.engine.info.contextTokens - prompt.length);
      const [sequences] = await Promise.all([
        generate(rig, { count: 2, maxTokens, seed: 21 }),
        trainOn(rig, trainer, sample),
      ]);
      for (const { ids, logprobs, policyVersion } of sequences) {
        rig.expect(runsLength(policyVersion)).toBe(ids.length);
        const { values } = policyVersion;
        rig
          .expect(
            values.every((version, at) => version > (values[at - 1] ?? -1) && version <= 1),
            "forward only",
          )
          .toBe(true);
        if (!rig.engine.info.swapsInFlight) rig.expect(values.length, "one policy per sequence").toBe(1);
        const tokens = Int32Array.of(...prompt, ...ids);
        const scored = await Promise.all([0, 1].map((version) => scoreTokens(rig, tokens, { version })));
        const versions = [...expandRuns(policyVersion)];
        const expected = logprobs.map((_, at) => scored[versions[at] ?? 0]?.[prompt.length + at] ?? Number.NaN);
        expectSame(rig, logprobs, expected, { what: "logprobs under the version of each token" });
      }
    },
    unlessPinned,
  );

  check("pressure is three whole numbers, and zero when nothing runs", async (rig) => {
    await openTrainer(rig);
    const generating = generate(rig, { count: 2 });
    const busy = rig.engine.pressure();
    await generating;
    const idle = rig.engine.pressure();
    for (const { running, queued, capacity } of [busy, idle]) {
      rig.expect([running, queued, capacity].every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
      rig.expect(capacity).toBeGreaterThan(0);
    }
    rig.expect([idle.running, idle.queued]).toEqual([0, 0]);
  });

  check("after close every call rejects, and closing again is harmless", async (rig) => {
    const trainer = await openTrainer(rig);
    const sample = await sampleFrom(rig);
    const { engine, options } = rig;
    await engine.close();
    await engine.close();
    const calls: Record<string, () => Promise<unknown>> = {
      open: () => engine.open({ model: engine.info.model, adapter: options.adapter }),
      generate: () => generate(rig),
      score: () => scoreSample(rig, sample),
      forwardBackward: () => trainer.forwardBackward([sample], { type: "cross_entropy" }),
      update: () => trainer.update(stepOf(rig)),
      publish: () => trainer.publish(),
      save: () => trainer.save("late"),
    };
    for (const [name, call] of Object.entries(calls)) await reasonOf(call(), `${name} after close`);
  });
}

async function trainOn(rig: Rig, trainer: Trainer, sample: Sample): Promise<void> {
  await trainer.forwardBackward([sample], { type: "importance_sampling" });
  await trainer.update(stepOf(rig));
  await trainer.publish();
}

async function scoreTokens(rig: Rig, tokens: Int32Array, policy: PolicyRef): Promise<Float32Array> {
  const [logprobs] = await rig.engine.sampler(policy).score([tokens], { temperature: 1, signal: never });
  return logprobs ?? new Float32Array();
}
