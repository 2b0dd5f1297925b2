// kill -9 while weights are written: the old file or the new one, and never a folder of which one part is old and one is new.
import { HoneError } from "@hone/core";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Child, startChild } from "../testing/child.ts";
import { temporaryFolder } from "../testing/temporary.ts";
import { openModelFolder } from "./model-folder-read.ts";
import { readPeftAdapter } from "./peft-read.ts";
import { openSafetensors, type TensorReader } from "./safetensors-read.ts";

const weights = new URL("../../dist/weights/index.js", import.meta.url).href;

/** Runs `body` for version 0, 1, 2, ... in a child, and kills it somewhere in a later one. Gives the last version that was written. */
async function killDuring(body: string, args: readonly string[]): Promise<number> {
  const child: Child = startChild(
    `const weights = await import(${JSON.stringify(weights)});
     const filled = (length, value) => new Float32Array(length).fill(value);
     for (let version = Number(args[0]); ; version++) {
       ${body}
       say(String(version));
     }`,
    args,
  );
  await once(child.process.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
  child.process.kill("SIGKILL");
  return Number((await child.output).trimEnd().split("\n").at(-1));
}

/** The one value that all tensors consist of. */
async function versionOf(reader: TensorReader): Promise<number> {
  const versions = new Set<number>();
  for (const { name } of reader.tensors())
    for (const value of (await reader.read(name)).toFloat32()) versions.add(value);
  expect(versions.size).toBe(1);
  return [...versions][0] ?? NaN;
}

test("a file is the last one that was written, or the one after it, whole", async () => {
  const path = join(await temporaryFolder(), "weights.safetensors");
  for (let round = 0, start = 0; round < 6; round++) {
    const written = await killDuring(
      `await weights.writeSafetensors(args[1], {
         a: { dtype: "BF16", shape: [700, 700], data: filled(490000, version) },
         b: { dtype: "F32", shape: [300, 1000], data: () => filled(300000, version) },
       });`,
      [String(start), path],
    );
    await using file = await openSafetensors(path);
    const version = await versionOf(file);
    expect([written, written + 1]).toContain(version);
    start = (version + 1) % 200;
  }
});

test("a model in shards is of one version, or is refused", async () => {
  const folder = await temporaryFolder();
  const outcomes: string[] = [];
  for (let round = 0, start = 0; round < 8; round++) {
    const written = await killDuring(
      `await weights.writeModelFolder(args[1], {
         config: { version },
         maxShardBytes: 300000,
         tensors: Object.fromEntries([0, 1, 2, 3].map((index) =>
           ["layer." + index, { dtype: "F32", shape: [70000], data: filled(70000, version) }])),
       });`,
      [String(start), folder],
    );
    const model = await openModelFolder(folder).catch((error: unknown) => error);
    if (HoneError.is(model)) {
      expect(model.code).toBe("bad-weights");
      outcomes.push("refused");
    } else {
      await using reader = model as Awaited<ReturnType<typeof openModelFolder>>;
      expect(reader.tensors().length).toBe(4);
      expect([written, written + 1]).toContain(await versionOf(reader));
      outcomes.push("whole");
    }
    start = written + 1;
  }
  expect(outcomes).toContain("whole");
});

test("an adapter is of one version, or is refused", async () => {
  const folder = await temporaryFolder();
  const outcomes: string[] = [];
  for (let round = 0, start = 1; round < 8; round++) {
    const written = await killDuring(
      `const pair = { a: filled(40000, version), b: filled(40000, version) };
       await weights.writePeftAdapter(args[1], { baseModel: "m", rank: 4, alpha: version, targets: ["q_proj", "v_proj"],
         tensors: { "l.0.q_proj": pair, "l.0.v_proj": pair } });`,
      [String(start), folder],
    );
    const adapter = await readPeftAdapter(folder).catch((error: unknown) => error);
    if (HoneError.is(adapter)) {
      expect(adapter.code).toBe("bad-weights");
      outcomes.push("refused");
    } else {
      const { alpha, tensors } = adapter as Awaited<ReturnType<typeof readPeftAdapter>>;
      expect([written, written + 1]).toContain(alpha);
      expect([...tensors.values()].every(({ a, b }) => [...a, ...b].every((value) => value === alpha))).toBe(true);
      outcomes.push("whole");
    }
    start = written + 1;
  }
  expect(outcomes).toContain("whole");
});
