// The engine and the process it lives in: kill -9 while a checkpoint is written, and programs that end by themselves.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Engine } from "@hone/core";
import { expect, onTestFinished, test } from "vitest";
import { readAnyHeader, readState } from "../worker/checkpoint.ts";
import { createCpuEngine } from "./create-cpu-engine.ts";
import { tinySamples } from "./testing/samples.ts";
import { type TinyPlaces, tinyPlaces } from "./testing/tiny-folder.ts";

const cwd = fileURLToPath(new URL("../..", import.meta.url));
const { signal } = new AbortController();
const step = { learningRate: 0.01, betas: [0.9, 0.99], epsilon: 1e-8, weightDecay: 0.01, gradientClip: 0 } as const;
const spec = { model: "tiny", adapter: "full" } as const;

async function places(): Promise<TinyPlaces> {
  const made = await tinyPlaces();
  onTestFinished(made.remove);
  return made;
}

const startProgram = (code: string, values: object): readonly string[] => [
  "--input-type=module",
  "--eval",
  `const { model, checkpoints, step, samples } = ${JSON.stringify(values)};
   import { createCpuEngine } from "@hone/engine-cpu";
   ${code}`,
];

/** Kills the program a random moment after it said something; what it had said. */
async function killed(code: string, values: object): Promise<readonly string[]> {
  const child = spawn(process.execPath, startProgram(code, values), { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const closed = once(child, "close");
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
  child.kill("SIGKILL");
  await closed;
  return said.trimEnd().split("\n");
}

/** Trains on the same sample from the start; weights depend on the version alone. */
async function scoresAt(engine: Engine, version: number): Promise<readonly Float32Array[]> {
  const trainer = await engine.open(spec);
  for (let update = 0; update < version; update++) {
    await trainer.forwardBackward(tinySamples(1, 12), { type: "cross_entropy" });
    await trainer.update(step);
  }
  await trainer.publish();
  return engine.sampler("latest").score([Int32Array.of(1, 2, 3, 4)], { temperature: 1, signal });
}

test("kill -9 while a checkpoint is replaced leaves the old one or the new one, and the next engine goes on from it", async () => {
  const { model, checkpoints } = await places();
  const [sample] = tinySamples(1, 12);
  const code = `
    const engine = await createCpuEngine({ model, checkpoints, name: "tiny", threads: 1 });
    const trainer = await engine.open({ model: "tiny", adapter: "full" });
    const typed = samples.map((sample) => ({ ...sample, tokens: Int32Array.from(sample.tokens),
      ...Object.fromEntries(["weight", "advantage", "logprob"].map((name) => [name, Float32Array.from(sample[name])])) }));
    for (;;) {
      await trainer.forwardBackward(typed, { type: "cross_entropy" });
      const { version } = await trainer.update(step);
      await trainer.save("a");
      console.log(version);
    }`;
  const plain = {
    ...sample,
    ...Object.fromEntries(
      (["tokens", "weight", "advantage", "logprob"] as const).map((name) => [name, [...(sample?.[name] ?? [])]]),
    ),
  };
  for (let round = 0; round < 3; round++) {
    const said = await killed(code, { model, checkpoints, step, samples: [plain] });
    const written = Number(said.at(-1));
    const engine = await createCpuEngine({ model, checkpoints, name: "tiny", threads: 1 });
    expect(await readdir(checkpoints), "nothing is left of the killed write").toEqual(["a"]);
    const expected = await scoresAt(engine, (await readAnyHeader({ folder: checkpoints, name: "a" })).version);
    const trainer = await engine.open({ ...spec, from: { checkpoint: "a" } });
    const { version } = await trainer.publish();
    expect([written, written + 1]).toContain(version);
    const sampler = engine.sampler("latest");
    expect(await sampler.score([Int32Array.of(1, 2, 3, 4)], { temperature: 1, signal })).toEqual(expected);
    await engine.close();
  }
});

test("kill -9 while new checkpoints are written: those that are there are whole", async () => {
  const { model, checkpoints } = await places();
  const write = new URL("../../dist/worker/checkpoint-write.js", import.meta.url).href;
  const code = `
    const { writeCheckpoint } = await import(${JSON.stringify(write)});
    for (let version = 0; ; version++) {
      const tensors = new Map(["weight/a", "first/a", "second/a"].map((name) => [name, new Float32Array(300_000).fill(version)]));
      const state = { version, steps: version, adapter: "full", tensors };
      await writeCheckpoint({ folder: checkpoints, name: "step-" + version, model: "tiny", kernels: { build: "", instructionSet: "" }, state });
      console.log(version);
    }`;
  const said = await killed(code, { model, checkpoints });
  const names = (await readdir(checkpoints)).filter((name) => !name.startsWith("."));
  expect(names).toEqual(expect.arrayContaining(said.map((version) => `step-${version}`)));
  for (const name of names) {
    const header = await readAnyHeader({ folder: checkpoints, name });
    const { version, tensors } = await readState({ folder: checkpoints, name, header });
    expect(`step-${version}`).toBe(name);
    for (const values of tensors.values()) expect(values.every((value) => value === version)).toBe(true);
  }
});

test("a program ends by itself when nothing is asked of its engine, and waits for what is", async () => {
  const { model, checkpoints } = await places();
  const code = `
    const engine = await createCpuEngine({ model, checkpoints, name: "tiny" });
    const trainer = await engine.open({ model: "tiny", adapter: "full" });
    void trainer.save("last").then(() => console.log("saved"));
    const sampling = { maxTokens: 60, temperature: 1, seed: 1, stopTokens: [] };
    void engine.sampler("base").generate({ prompt: Int32Array.of(1, 2), count: 3, sampling }, new AbortController())
      .then(({ sequences }) => console.log(sequences.map(({ ids }) => ids.length).join()));`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...startProgram(code, { model, checkpoints })], {
    cwd,
    timeout: 50_000,
  });
  expect(stdout.trim().split("\n").sort()).toEqual(["60,60,60", "saved"]);
  expect(await readdir(join(checkpoints, "last"))).toEqual(["checkpoint.json", "trainer.safetensors"]);
});
