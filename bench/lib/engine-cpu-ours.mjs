// Our side of bench/engine-cpu, a process of its own: says "ready", then does one round per line on stdin and answers with a JSON line.
// A round may say when its preparation was over.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRandom, runsOf } from "@hone/core";
import {
  BatchSampler,
  createDecoder,
  createStepModel,
  createTrainer,
  loadKernels,
  randomValues,
  readDecoderConfig,
} from "@hone/engine-cpu/parts";
import { decodePrompt, decodeSequences, decodeTokens } from "./engine-cpu-models.mjs";

const { kind, model, threads, prefer, shape } = JSON.parse(process.argv[2]);
const { kernels } = loadKernels({ threads, prefer });
const memoryBefore = residentBytes("VmRSS");
const round = { full: trainRound, lora: trainRound, decode: decodeRound, matmul: matmulRound }[kind]();
console.log(JSON.stringify({ ready: true, build: kernels.info.build, instructionSet: kernels.info.instructionSet }));

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "end") break;
  const started = performance.now();
  const prepared = round();
  const ms = performance.now() - (prepared ?? started);
  console.log(JSON.stringify({ ms, peakBytes: residentBytes("VmHWM") - memoryBefore }));
}
kernels.close();

function decoderOf(config) {
  return createDecoder(kernels, readDecoderConfig(config, "bench"), (values, parameter) => {
    values.set(randomValues(parameter, config.num_hidden_layers, createRandom(parameter.name)));
  });
}

function trainRound() {
  const adapter = kind === "full" ? "full" : { rank: 16, alpha: 32, targets: ["all-linear"], seed: 0 };
  const base = decoderOf(model.config);
  const rowTokens = model.sequences * model.tokens;
  const trainer = createTrainer({ kernels, base, adapter, rowTokens, isRecomputing: false, isInPlace: true });
  const random = createRandom("tokens");
  const weight = new Float32Array(model.tokens).fill(1 / rowTokens);
  const samples = Array.from({ length: model.sequences }, (_, index) => ({
    id: `s${index}`,
    rollout: "r",
    agent: "agent",
    env: "bench",
    branch: 0,
    tokens: Int32Array.from({ length: model.tokens }, () => random.integer(model.config.vocab_size)),
    weight,
    advantage: new Float32Array(model.tokens),
    logprob: new Float32Array(model.tokens),
    temperature: runsOf(1, model.tokens),
    policyVersion: runsOf(0, model.tokens),
  }));
  const step = { learningRate: 1e-4, betas: [0.9, 0.95], epsilon: 1e-8, weightDecay: 0.01, gradientClip: 1 };
  return () => {
    const work = trainer.forwardBackward(samples, { type: "cross_entropy" });
    while (!work.next().done);
    trainer.update(step);
  };
}

function decodeRound() {
  const decoder = decoderOf(model.config);
  const length = decodePrompt + decodeTokens;
  const pageTokens = 16;
  const pages = decodeSequences * (Math.ceil(length / pageTokens) + 1);
  const step = createStepModel(kernels, decoder.config, { pages, pageTokens });
  const policy = { version: 0, decoder };
  const settings = { policyOf: () => policy, textOf: () => "", capacity: decodeSequences, stepTokens: 4096 };
  const sampler = new BatchSampler({ model: step, kernels, ...settings });
  const random = createRandom("prompts");
  let seed = 0;
  return () => {
    seed++;
    for (let index = 0; index < decodeSequences; index++) {
      const prompt = Int32Array.from({ length: decodePrompt }, () => random.integer(model.config.vocab_size));
      const sampling = { maxTokens: decodeTokens, temperature: 1, seed: seed * 1000 + index, stopTokens: [] };
      sampler.add({ prompt, count: 1, sampling, policy: "latest", onDone: () => {} });
    }
    // Prompts are not what is measured: every sequence has its first token when none is still waiting.
    do sampler.step();
    while (sampler.load().queued > 0);
    const prepared = performance.now();
    while (sampler.step());
    return prepared;
  };
}

function matmulRound() {
  const [rows, inputs, outputs] = shape;
  const [out, input, weight] = [rows * outputs, rows * inputs, outputs * inputs].map((size) =>
    kernels.memory.floats(size),
  );
  for (const array of [input, weight]) for (let at = 0; at < array.length; at++) array[at] = Math.sin(at);
  return () => {
    for (let times = 0; times < 20; times++) kernels.linear.forward({ rows, inputs, outputs, out, input, weight });
  };
}

function residentBytes(field) {
  const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}
