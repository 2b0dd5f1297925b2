// The embedded engine beside PyTorch on the same processor: same model, same batch, same threads, rounds taken in turn, medians compared.
// Needs a Python with the packages of bench/requirements.txt (HONE_PYTHON, or python3). Without it the rows of the peer say "skipped" and
// the bench fails, unless it was asked for with --no-peer.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { eventLoopDelays } from "./lib/engine-cpu-delay.mjs";
import { decodePrompt, decodeSequences, decodeTokens, matmuls, models } from "./lib/engine-cpu-models.mjs";
import { figure, median } from "./lib/figure.mjs";

const isAlone = process.argv.includes("--no-peer");
const only = process.argv.find((word) => word.startsWith("--model="))?.slice("--model=".length);
const python = process.env.HONE_PYTHON ?? "python3";
const ours = fileURLToPath(new URL("lib/engine-cpu-ours.mjs", import.meta.url));
const theirs = fileURLToPath(new URL("lib/engine_cpu_peer.py", import.meta.url));
const chosen = models.filter(({ name }) => only === undefined || only === name);
let hasSkipped = false;

/** One side, started and warm; undefined where it cannot run. */
async function open(command, program, request) {
  const child = spawn(command, [program, JSON.stringify(request)], { stdio: ["pipe", "pipe", "pipe"] });
  let trouble = "";
  child.stderr.on("data", (data) => (trouble = `${trouble}${data}`.slice(-2000)));
  child.on("error", (error) => (trouble = error.message));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const info = await answer();
  if (info === undefined) {
    if (command !== python) throw new Error(`our side ended: ${trouble}`);
    console.error(`no peer: ${trouble.trim().split("\n").at(-1)}`);
    return undefined;
  }
  const round = async () => {
    child.stdin.write("go\n");
    return await answer();
  };
  return { info, round, end: () => child.stdin.end("end\n") };
}

/** Median of each side, rounds taken in turn after a warm-up. A side that is not there is undefined. */
async function compare(sides, rounds) {
  const opened = [];
  for (const side of sides) opened.push(side && (await open(...side)));
  const results = opened.map(() => []);
  for (let at = -2; at < rounds; at++) {
    for (const [index, side] of opened.entries()) {
      const result = side && (await side.round());
      if (at >= 0) results[index].push(result);
    }
  }
  for (const side of opened) side?.end();
  return results.map(
    (list, index) =>
      opened[index] && {
        ms: median(list.map(({ ms }) => ms)),
        peakBytes: Math.max(...list.map(({ peakBytes }) => peakBytes)),
      },
  );
}

const mine = (request) => [process.execPath, ours, request];
const peer = (request) => (isAlone ? undefined : [python, theirs, request]);

function ratio(name, value, bar, better = "lower") {
  if (value === undefined) {
    hasSkipped = true;
    console.log(JSON.stringify({ bench: "engine-cpu", figure: name, value: "skipped", unit: "ratio", bar, better }));
  } else figure("engine-cpu", name, value, "ratio", { bar, better });
}
const per = (a, b) => (a === undefined || b === undefined ? undefined : a / b);

for (const shape of only === undefined ? matmuls : []) {
  const [us, them] = await compare(
    [mine({ kind: "matmul", shape, threads: 1 }), peer({ kind: "matmul", shape, threads: 1 })],
    9,
  );
  ratio(`matmul ${shape.join(" x ")}, 1 thread, speed to OpenBLAS`, per(them?.ms, us.ms), 0.8, "higher");
}
for (const model of chosen) {
  for (const threads of [1, 2]) {
    const full = { kind: "full", model, threads };
    const sides = [mine(full), peer(full), mine({ ...full, kind: "lora" }), mine({ ...full, prefer: "wasm" })];
    const [us, them, lora, wasm] = await compare(sides, 7);
    const where = `${model.name}, ${threads} thread${threads === 1 ? "" : "s"}`;
    figure("engine-cpu", `step, ${where}`, us.ms, "ms");
    ratio(`step, ${where}, time to PyTorch`, per(us.ms, them?.ms), threads === 1 ? 1 : 1.05);
    ratio(`LoRA step of rank 16, ${where}, time to the full step`, lora.ms / us.ms, model.name === "4M" ? 0.85 : 0.8);
    ratio(`step on WASM, ${where}, time to the addon`, wasm.ms / us.ms, 2.5);
    if (threads === 1)
      ratio(`peak memory of training, ${model.name}, to PyTorch`, per(us.peakBytes, them?.peakBytes), 1);
  }
  for (const threads of [1, 2]) {
    const request = { kind: "decode", model, threads, decode: [decodeSequences, decodePrompt, decodeTokens] };
    const [us, them] = await compare([mine(request), peer(request)], 7);
    const where = `${model.name}, ${threads} thread${threads === 1 ? "" : "s"}`;
    figure(
      "engine-cpu",
      `decode of ${decodeSequences} sequences, ${where}`,
      (decodeSequences * (decodeTokens - 1) * 1000) / us.ms,
      "tokens/s",
    );
    ratio(`decode of ${decodeSequences} sequences, ${where}, speed to PyTorch`, per(them?.ms, us.ms), 1.5, "higher");
  }
}
const delays = await eventLoopDelays();
figure("engine-cpu", "event-loop delay while training and sampling, 99 %", delays.p99, "ms", {
  bar: 20,
  better: "lower",
});
figure("engine-cpu", "event-loop delay while training and sampling, most", delays.most, "ms", {
  bar: 200,
  better: "lower",
});
if (hasSkipped && !isAlone) {
  console.error(`The peer was skipped: ${python} has no torch. See bench/requirements.txt, or give --no-peer.`);
  process.exitCode = 1;
}
