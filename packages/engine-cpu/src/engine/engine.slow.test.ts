// The engine in a program: training and sampling at once, cancelling, closing, and what it says when something is wrong.
import { readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Engine, HoneError, type OptimizerStep, type TokenSampling } from "@hone/core";
import { openModelFolder, readPeftAdapter } from "@hone/store/weights";
import { expect, onTestFinished, test } from "vitest";
import { type CpuEngineOptions, createCpuEngine } from "./create-cpu-engine.ts";
import { tinySample, tinySamples } from "./testing/samples.ts";
import { type TinyFolderOptions, tinyPlaces, tinyText } from "./testing/tiny-folder.ts";

const { signal } = new AbortController();
const lora = { rank: 4, alpha: 8, targets: ["all-linear"], seed: 1 };
const spec = { model: "tiny", adapter: lora };
const step: OptimizerStep = { learningRate: 0.01, betas: [0.9, 0.99], epsilon: 1e-8, weightDecay: 0, gradientClip: 0 };
const loss = { type: "importance_sampling" } as const;
const prompt = Int32Array.of(3, 14, 15, 9);
const sampling: TokenSampling = { maxTokens: 8, temperature: 1, seed: 1, stopTokens: [] };

interface Made {
  readonly engine: Engine;
  readonly model: string;
  readonly checkpoints: string;
}

async function make(options: Partial<CpuEngineOptions> = {}, folder: TinyFolderOptions = {}): Promise<Made> {
  const { model, checkpoints, remove } = await tinyPlaces(folder);
  onTestFinished(remove);
  const engine = await createCpuEngine({ model, checkpoints, name: "tiny", threads: 2, ...options });
  onTestFinished(() => engine.close());
  return { engine, model, checkpoints };
}

async function problemOf(promise: Promise<unknown>): Promise<HoneError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (HoneError.is(error)) return error;
  throw new Error(`not refused with an error of ours: ${String(error)}`);
}

test("sampling goes on while a long batch is trained on, and both end", async () => {
  const { engine } = await make();
  const trainer = await engine.open(spec);
  const order: string[] = [];
  const training = trainer.forwardBackward(tinySamples(120, 256), loss).then(() => order.push("trained"));
  const request = { prompt, count: 2, sampling };
  const generating = engine
    .sampler("latest")
    .generate(request, { signal })
    .then(() => order.push("sampled"));
  const scoring = engine
    .sampler("base")
    .score([prompt], { temperature: 1, signal })
    .then(() => order.push("scored"));
  await Promise.all([training, generating, scoring]);
  expect(order.at(-1)).toBe("trained");
});

test('"latest" takes up new policies in the middle of a sequence', async () => {
  const { engine } = await make({}, { contextTokens: 2048 });
  const trainer = await engine.open(spec);
  const request = { prompt, count: 1, sampling: { ...sampling, maxTokens: 1500 } };
  const running = engine.sampler("latest").generate(request, { signal });
  for (let update = 0; update < 2; update++) {
    await trainer.forwardBackward(tinySamples(1, 16), loss);
    await trainer.update(step);
    await trainer.publish();
  }
  const [sequence] = (await running).sequences;
  expect(sequence?.policyVersion.values).toEqual([0, 1, 2]);
});

test("the program's own thread stays free while the engine trains and samples", async () => {
  const { engine } = await make({}, { layers: 4, width: 128 });
  const trainer = await engine.open({ ...spec, adapter: "full" });
  const request = { prompt, count: 16, sampling: { ...sampling, maxTokens: 200 } };
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await Promise.all([
    trainer.forwardBackward(tinySamples(24, 256), loss),
    trainer.update(step),
    trainer.publish(),
    engine.sampler("latest").generate(request, { signal }),
  ]);
  delay.disable();
  // The median: a machine with other work on it may pause any program now and then. A bench measures the rest.
  expect(delay.percentile(50) / 1e6).toBeLessThan(100);
});

test("what was handed in stays the caller's", async () => {
  const { engine } = await make();
  const trainer = await engine.open(spec);
  const [many] = tinySamples(1, 64);
  const tokens = many?.tokens.subarray(8, 40) ?? prompt;
  const sample = { ...tinySample(tokens), extras: { note: "kept" } };
  const before = structuredClone(sample);
  const whole = await trainer.forwardBackward([sample], loss);
  expect(sample).toEqual(before);
  expect(await trainer.forwardBackward([before], loss)).toEqual(whole);
  const [scores] = await engine.sampler("latest").score([tokens], { temperature: 1, signal });
  expect(scores).toEqual(whole.logprobs[0]);
  expect(tokens.length).toBe(32);
});

test("a cancelled request leaves its place, and nothing of it comes later", async () => {
  const { engine } = await make();
  const controller = new AbortController();
  const long = { prompt, count: 80, sampling: { ...sampling, maxTokens: 250 } };
  const running = engine.sampler("latest").generate(long, { signal: controller.signal });
  const pressure = engine.pressure();
  expect(pressure.running + pressure.queued).toBe(80);
  expect(pressure.capacity).toBe(64);
  controller.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  await engine.sampler("latest").generate({ prompt, count: 1, sampling }, { signal });
  expect(engine.pressure()).toMatchObject({ running: 0, queued: 0 });
});

test("a score that is cancelled stops", async () => {
  const { engine } = await make();
  const controller = new AbortController();
  const sequences = tinySamples(200, 256).map(({ tokens }) => tokens);
  const order: string[] = [];
  const sampler = engine.sampler("base");
  const cancelled = sampler
    .score(sequences, { temperature: 1, signal: controller.signal })
    .catch(() => order.push("cancelled"));
  const whole = sampler.score(sequences, { temperature: 1, signal }).then(() => order.push("whole"));
  const short = sampler.score([prompt], { temperature: 1, signal }).then(() => order.push("short"));
  controller.abort();
  await Promise.all([cancelled, whole, short]);
  expect(order).toEqual(["cancelled", "whole", "short"]);
});

test("closing while it works rejects what is under way, at once and for good", async () => {
  const { engine } = await make();
  const trainer = await engine.open(spec);
  const outcomes = [
    problemOf(trainer.forwardBackward(tinySamples(100, 256), loss)),
    problemOf(trainer.update(step)),
    problemOf(trainer.save("late")),
    problemOf(engine.sampler("latest").generate({ prompt, count: 4, sampling }, { signal })),
  ];
  const closing = engine.close();
  outcomes.push(problemOf(trainer.publish()));
  for (const { code } of await Promise.all(outcomes)) expect(code).toBe("closed");
  await Promise.all([closing, engine.close()]);
  expect(engine.pressure()).toMatchObject({ running: 0, queued: 0 });
});

test("stop strings end a sequence; a folder without a tokenizer is said at the call", async () => {
  const { engine, model } = await make();
  const greedy = { prompt, count: 1, sampling: { ...sampling, temperature: 0 } };
  const sampler = engine.sampler("base");
  const [whole] = (await sampler.generate(greedy, { signal })).sequences;
  const ids = whole?.ids ?? prompt;
  const stop = tinyText(ids.subarray(2, 4));
  const at = tinyText(ids).indexOf(stop);
  const stopped = await sampler.generate(
    { ...greedy, sampling: { ...greedy.sampling, stopStrings: [stop] } },
    { signal },
  );
  expect(stopped.sequences[0]).toMatchObject({ finish: "stop", ids: ids.slice(0, at + 2) });

  await rm(join(model, "tokenizer.json"));
  const other = await createCpuEngine({ model, checkpoints: join(model, "none"), name: "tiny" });
  onTestFinished(() => other.close());
  const asked = { ...greedy, sampling: { ...greedy.sampling, stopStrings: ["x"] } };
  expect(await problemOf(other.sampler("base").generate(asked, { signal }))).toMatchObject({ code: "tokenizer" });
  expect((await other.sampler("base").generate(greedy, { signal })).sequences[0]?.ids).toEqual(ids);
});

test("a policy that is no longer kept is refused, with those that are", async () => {
  const { engine } = await make({ snapshotBytes: 1 });
  const trainer = await engine.open(spec);
  for (let update = 0; update < 5; update++) {
    await trainer.update(step);
    await trainer.publish();
  }
  const score = (version: number) => engine.sampler({ version }).score([prompt], { temperature: 1, signal });
  const gone = await problemOf(score(1));
  expect([gone.code, gone.hint]).toEqual(["unknown-policy", expect.stringContaining("2, 3, 4, 5")]);
  expect((await score(2))[0]?.length).toBe(4);
});

test("an export can be loaded: an adapter by PEFT's names, full training as a model", async () => {
  const { engine, model, checkpoints } = await make();
  const adapted = await engine.open(spec);
  await adapted.export(join(checkpoints, "adapter"));
  const adapter = await readPeftAdapter(join(checkpoints, "adapter"));
  expect(adapter.tensors.has("model.layers.1.mlp.down_proj")).toBe(true);

  const full = await engine.open({ ...spec, adapter: "full" });
  await full.forwardBackward(tinySamples(2, 32), loss);
  await full.update(step);
  await full.publish();
  const exported = join(checkpoints, "model");
  await full.export(exported);
  await using folder = await openModelFolder(exported);
  expect(folder.tensors().length).toBeGreaterThan(20);
  const again = await createCpuEngine({ model: exported, checkpoints });
  onTestFinished(() => again.close());
  expect(again.info.model).toBe(exported);
  const scores = (of: Engine, policy: "base" | "latest") =>
    of.sampler(policy).score([prompt], { temperature: 1, signal });
  expect(await scores(again, "base")).toEqual(await scores(engine, "latest"));
  expect(await readFile(join(exported, "tokenizer.json"))).toEqual(await readFile(join(model, "tokenizer.json")));
});

test("a damaged checkpoint is refused by name, and the engine stays usable", async () => {
  const { engine, checkpoints } = await make();
  const trainer = await engine.open(spec);
  const from = await trainer.save("a");
  const file = join(checkpoints, "a/trainer.safetensors");
  await truncate(file, 2000);
  expect((await problemOf(engine.open({ ...spec, from }))).message).toContain(file);
  expect((await problemOf(engine.sampler(from).score([prompt], { temperature: 1, signal }))).message).toContain(file);
  expect(await trainer.save("a")).toEqual(from);
  expect(await (await engine.open({ ...spec, from })).publish()).toEqual({ version: 0 });
});

test("a model that cannot be loaded is refused at the start", async () => {
  const { model, checkpoints } = await make();
  await truncate(join(model, "model.safetensors"), 5000);
  const torn = await problemOf(createCpuEngine({ model, checkpoints }));
  expect(torn.message).toContain(join(model, "model.safetensors"));
  expect((await problemOf(createCpuEngine({ model: join(model, "none"), checkpoints }))).code).toBe("bad-model");
  expect((await problemOf(createCpuEngine({ model, checkpoints, threads: 0 }))).message).toContain("threads is 0");
});

test("a context that does not fit into the cache is lowered, and that is said", async () => {
  const notices: string[] = [];
  const { engine } = await make({ cacheBytes: 100_000, onNotice: (message) => notices.push(message) });
  expect(engine.info.contextTokens).toBe(192);
  // Without a compiler WASM is used, and that is said too.
  expect(notices.filter((notice) => !notice.startsWith("WASM is used"))).toEqual([
    expect.stringContaining("192 tokens"),
  ]);
  const { engine: short } = await make({ contextTokens: 40 });
  const request = { prompt, count: 1, sampling: { ...sampling, maxTokens: 100 } };
  const [sequence] = (await short.sampler("base").generate(request, { signal })).sequences;
  expect([short.info.contextTokens, sequence?.ids.length, sequence?.finish]).toEqual([40, 36, "length"]);
});

test("an adapter that was exported can be sampled from and trained on, by its folder", async () => {
  const { engine, checkpoints } = await make();
  const trainer = await engine.open(spec);
  await trainer.forwardBackward(tinySamples(2, 16), loss);
  await trainer.update(step);
  await trainer.publish();
  const score = async (policy: Parameters<Engine["sampler"]>[0]): Promise<Float32Array> =>
    (await engine.sampler(policy).score([prompt], { temperature: 1, signal }))[0]!;
  const expected = await score("latest");
  const folder = join(checkpoints, "exported");
  await trainer.export(folder);
  expect(await score({ checkpoint: folder })).toEqual(expected);
  await engine.open({ ...spec, from: { checkpoint: folder } });
  expect(await score({ version: 0 })).toEqual(expected);
  const other = { ...spec, adapter: { ...lora, rank: 2 }, from: { checkpoint: folder } };
  expect((await problemOf(engine.open(other))).message).toContain("rank 4");
});
