// Sampling checks: noise, stops, logprobs, cancellation.
import { HoneError } from "../../errors.ts";
import { runsLength } from "../../runs.ts";
import {
  type Check,
  expectDifferent,
  expectRefused,
  expectSame,
  generate,
  type Generating,
  never,
  openTrainer,
  reasonOf,
  type Rig,
} from "./rig.ts";

const unlessDeterministic = (info: { readonly deterministic: boolean }): string | undefined =>
  info.deterministic ? undefined : "info.deterministic is false";

export function samplingChecks(check: Check): void {
  check(
    "the same seed gives the same tokens, another seed others",
    async (rig) => {
      await openTrainer(rig);
      const first = await generate(rig, { count: 3, seed: 7 });
      rig.expect(await generate(rig, { count: 3, seed: 7 })).toEqual(first);
      const other = await generate(rig, { count: 3, seed: 8 });
      rig.expect(idsOf(other).join() === idsOf(first).join(), "another seed gives the same tokens").toBe(false);
      rig.expect(new Set(idsOf(first)).size, "sequences of one request differ").toBeGreaterThan(1);
    },
    unlessDeterministic,
  );

  check(
    "a sequence depends neither on how many are asked for nor on what else is running",
    async (rig) => {
      await openTrainer(rig);
      const four = await generate(rig, { count: 4, seed: 3 });
      rig.expect(await generate(rig, { count: 2, seed: 3 })).toEqual(four.slice(0, 2));
      const busy = await Promise.all([
        generate(rig, { count: 2, seed: 5, maxTokens: 16 }),
        generate(rig, { count: 4, seed: 3 }),
        generate(rig, { count: 1, seed: 6, maxTokens: 3 }),
      ]);
      rig.expect(busy[1]).toEqual(four);
    },
    unlessDeterministic,
  );

  check("a sequence that reaches maxTokens finishes with length", async (rig) => {
    await openTrainer(rig);
    for (const sequence of await generate(rig, { count: 2, maxTokens: 4 })) {
      rig.expect([sequence.ids.length, sequence.logprobs.length, sequence.finish]).toEqual([4, 4, "length"]);
      rig.expect(runsLength(sequence.policyVersion), "a policy version for each token").toBe(4);
    }
  });

  check("a stop token ends a sequence and is part of it", async (rig) => {
    await openTrainer(rig);
    const [whole] = await generate(rig, { temperature: 0, maxTokens: 6 });
    const stop = whole?.ids.at(2) ?? 0;
    const end = (whole?.ids.indexOf(stop) ?? 0) + 1;
    const [stopped] = await generate(rig, { temperature: 0, maxTokens: 6, stopTokens: [stop] });
    rig.expect(stopped?.ids).toEqual(whole?.ids.slice(0, end));
    rig.expect(stopped?.logprobs.length).toBe(end);
    rig.expect(stopped?.finish).toBe("stop");
  });

  check("sampled logprobs are those of score, at the temperature of sampling", async (rig) => {
    await openTrainer(rig);
    for (const temperature of [1, 0.5, 1.7]) {
      const scored = await compareWithScore(rig, { temperature, seed: 11 }, temperature);
      if (temperature !== 1) expectDifferent(rig, scored.sampled, scored.atOne, `temperature ${temperature}`);
    }
  });

  check(
    "temperature 0 takes the likeliest token whatever the seed; its logprobs are those of temperature 1",
    async (rig) => {
      await openTrainer(rig);
      const [one] = await generate(rig, { temperature: 0, seed: 1 });
      const [two] = await generate(rig, { temperature: 0, seed: 2 });
      rig.expect(two?.ids).toEqual(one?.ids);
      await compareWithScore(rig, { temperature: 0 }, 1);
    },
  );

  check("top-k 1 takes the likeliest token, with the logprob from before truncation", async (rig) => {
    await openTrainer(rig);
    const greedy = await generate(rig, { temperature: 0 });
    try {
      rig.expect(idsOf(await generate(rig, { topK: 1, seed: 5 }))).toEqual(idsOf(greedy));
      await compareWithScore(rig, { topK: 1, seed: 5 }, 1);
    } catch (error) {
      // An engine may refuse to truncate; it may not ignore the wish.
      if (!HoneError.is(error) || error.code !== "unsupported") throw error;
    }
  });

  check("score gives 0 at the first token and leaves the sequences apart", async (rig) => {
    await openTrainer(rig);
    const { prompt } = rig.options;
    const sampler = rig.engine.sampler("latest");
    const alone = await sampler.score([prompt], { temperature: 1, signal: never });
    const among = await sampler.score([prompt.slice(1), prompt, prompt.slice(0, 1)], { temperature: 1, signal: never });
    rig.expect(alone[0]?.[0]).toBe(0);
    rig.expect(among.map((logprobs) => logprobs.length)).toEqual([prompt.length - 1, prompt.length, 1]);
    expectSame(rig, among[1] ?? new Float32Array(), alone[0] ?? new Float32Array());
  });

  check("a cancelled call rejects with the signal's reason, before it starts and while it runs", async (rig) => {
    await openTrainer(rig);
    const { prompt } = rig.options;
    const reason = new Error("cancelled by the check");
    const sampler = rig.engine.sampler("latest");
    const maxTokens = Math.min(512, rig.engine.info.contextTokens - prompt.length);
    const request = { prompt, count: 2, sampling: { maxTokens, temperature: 1, seed: 1, stopTokens: [] } };
    const early = { signal: AbortSignal.abort(reason) };
    rig.expect(await reasonOf(sampler.generate(request, early), "an aborted generate")).toBe(reason);
    rig.expect(await reasonOf(sampler.score([prompt], { temperature: 1, ...early }), "an aborted score")).toBe(reason);

    const controller = new AbortController();
    const running = reasonOf(sampler.generate(request, { signal: controller.signal }), "a generate aborted meanwhile");
    controller.abort(reason);
    rig.expect(await running).toBe(reason);
    rig.expect((await generate(rig)).length, "the engine stays usable").toBe(1);
  });

  check("a prompt with a token outside the vocabulary is refused and names it", async (rig) => {
    await openTrainer(rig);
    const { prompt, vocabularySize } = rig.options;
    const sampler = rig.engine.sampler("latest");
    for (const id of [vocabularySize, -1]) {
      const bad = Int32Array.of(...prompt, id);
      const sampling = { maxTokens: 2, temperature: 1, seed: 1, stopTokens: [] };
      const generated = sampler.generate({ prompt: bad, count: 1, sampling }, { signal: never });
      await expectRefused(rig, generated, `a prompt with token ${id}`, String(id));
      const scored = sampler.score([bad], { temperature: 1, signal: never });
      await expectRefused(rig, scored, `a sequence with token ${id}`, String(id));
    }
    rig.expect((await generate(rig)).length, "the engine stays usable").toBe(1);
  });
}

function idsOf(sequences: readonly { readonly ids: Int32Array }[]): string[] {
  return sequences.map((sequence) => sequence.ids.join());
}

async function compareWithScore(
  rig: Rig,
  how: Generating,
  temperature: number,
): Promise<{ readonly sampled: Float32Array; readonly atOne: Float32Array }> {
  const { prompt } = rig.options;
  const [sequence] = await generate(rig, how);
  const sampled = sequence?.logprobs ?? new Float32Array();
  const tokens = Int32Array.of(...prompt, ...(sequence?.ids ?? []));
  const sampler = rig.engine.sampler("latest");
  const score = async (temperature: number): Promise<Float32Array> => {
    const [logprobs] = await sampler.score([tokens], { temperature, signal: never });
    return logprobs?.slice(prompt.length) ?? new Float32Array();
  };
  expectSame(rig, sampled, await score(temperature), { what: "sampled against scored" });
  return { sampled, atOne: await score(1) };
}
