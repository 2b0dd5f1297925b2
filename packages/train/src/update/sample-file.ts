// samples/000012.jsonl: exactly what went into forwardBackward, one sample per line, as core's `Sample` reads and writes them. Written by hand here:
// the columns are most of a run's bytes, and Node turns them into base64 ten times as fast as a schema can.
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HoneError, Sample } from "@hone/core";
import { samplesPath, writeFileAtomic } from "@hone/store";
import * as z from "zod";

export async function writeSamples(directory: string, step: number, samples: readonly Sample[]): Promise<void> {
  const path = samplesPath(directory, step, "jsonl");
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, pieces(samples));
}

export async function readSamples(directory: string, step: number): Promise<Sample[]> {
  const path = samplesPath(directory, step, "jsonl");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new HoneError(`there are no samples of update ${step} in ${directory}`, { code: "no-samples", cause: error });
  });
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => z.decode(Sample, JSON.parse(line)));
}

/** What is handed to the operating system at once, in characters. */
const pieceLength = 1 << 20;

function* pieces(samples: readonly Sample[]): Generator<string> {
  let piece = "";
  for (const sample of samples) {
    piece += `${encodeSample(sample)}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** Put together from parts: the columns are most of a line and need no escaping. */
export function encodeSample(sample: Sample): string {
  const { id, rollout, agent, env, branch, reference, temperature, policyVersion, component, extras } = sample;
  const head = JSON.stringify({ id, rollout, agent, env, branch });
  const tail = JSON.stringify({
    temperature,
    policyVersion,
    ...(component === undefined ? {} : { component }),
    ...(extras === undefined ? {} : { extras }),
  });
  const columns = [
    `"tokens":"${base64(sample.tokens)}","weight":"${base64(sample.weight)}"`,
    `"advantage":"${base64(sample.advantage)}","logprob":"${base64(sample.logprob)}"`,
    ...(reference === undefined ? [] : [`"reference":"${base64(reference)}"`]),
  ];
  return `${head.slice(0, -1)},${columns.join(",")},${tail.slice(1)}`;
}

function base64({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
