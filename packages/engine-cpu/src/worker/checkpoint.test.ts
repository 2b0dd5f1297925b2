import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoneError } from "@hone/core";
import { expect, onTestFinished, test } from "vitest";
import type { TrainerState } from "../train/trainer.ts";
import { isSameAdapter, readHeader, readState } from "./checkpoint.ts";
import { removeLeftovers, writeCheckpoint } from "./checkpoint-write.ts";

const adapter = { rank: 2, alpha: 4, targets: ["q_proj"], seed: 7 };
const kernels = { build: "wasm", instructionSet: "wasm" };

function stateOf(version: number, spec: TrainerState["adapter"] = adapter): TrainerState {
  const column = (from: number): Float32Array => Float32Array.from({ length: 10 }, (_, at) => from + at / 7);
  const tensors = new Map([
    ["weight/a", column(version)],
    ["first/a", column(-version)],
    ["second/a", column(version ** 2)],
  ]);
  return { version, steps: version, adapter: spec, tensors };
}

async function places() {
  const root = await mkdtemp(join(tmpdir(), "hone-checkpoint-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, "checkpoints");
  const save = (name: string, state: TrainerState, model = "tiny"): Promise<void> =>
    writeCheckpoint({ folder, name, model, kernels, state });
  const read = async (name: string): Promise<TrainerState> => {
    const header = await readHeader({ folder, name }, "tiny");
    return readState({ folder, name, header });
  };
  return { folder, save, read };
}

async function problemOf(promise: Promise<unknown>): Promise<HoneError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (HoneError.is(error)) return error;
  throw new Error(`not refused with an error of ours: ${String(error)}`);
}

test("what was saved is read, to the bit", async () => {
  const { save, read, folder } = await places();
  for (const spec of [adapter, "full"] as const) {
    await save("a", stateOf(3, spec));
    expect(await read("a")).toEqual(stateOf(3, spec));
  }
  expect(await readdir(folder)).toEqual(["a"]);
});

test("saving under the same name replaces, and leaves nothing behind", async () => {
  const { save, read, folder } = await places();
  for (const version of [1, 2, 3]) {
    await save("a", stateOf(version));
    expect((await read("a")).version).toBe(version);
    expect(await readdir(folder)).toEqual(["a"]);
    expect((await readdir(join(folder, "a"))).length).toBe(2);
  }
});

test("a replaced checkpoint is whole until the header of the new one is there", async () => {
  const { save, read, folder } = await places();
  await save("a", stateOf(1));
  const header = await readFile(join(folder, "a/checkpoint.json"));
  const tensors = await readFile(join(folder, "a/trainer.safetensors"));
  await save("a", stateOf(2));
  // As a kill before the last rename leaves it: both files of tensors, the old header.
  await writeFile(join(folder, "a/checkpoint.json"), header);
  await writeFile(join(folder, "a/trainer.safetensors"), tensors);
  expect(await read("a")).toEqual(stateOf(1));
  await save("a", stateOf(3));
  expect(await read("a")).toEqual(stateOf(3));
});

test("one that another model wrote is replaced just as safely, and refused otherwise", async () => {
  const { save, read, folder } = await places();
  await save("a", stateOf(1), "other");
  expect(await problemOf(read("a"))).toMatchObject({ code: "checkpoint", message: expect.stringContaining('"other"') });
  await save("a", stateOf(2));
  expect((await readdir(join(folder, "a"))).sort()).toEqual(["checkpoint.json", "trainer-2.safetensors"]);
  expect((await read("a")).version).toBe(2);
});

test("what is no checkpoint is refused and named", async () => {
  const { save, read, folder } = await places();
  const missing = await problemOf(read("none"));
  expect([missing.code, missing.message]).toEqual(["checkpoint", expect.stringContaining(join(folder, "none"))]);
  await save("a", stateOf(1));
  await truncate(join(folder, "a/trainer.safetensors"), 100);
  expect((await problemOf(read("a"))).message).toContain(join(folder, "a/trainer.safetensors"));
  for (const text of ["{", "{}", '{"format":"hone/toy-checkpoint/1"}']) {
    await writeFile(join(folder, "a/checkpoint.json"), text);
    expect((await problemOf(read("a"))).message).toContain(join(folder, "a/checkpoint.json"));
  }
  const header = JSON.parse(await headerText(folder, save)) as object;
  await writeFile(
    join(folder, "a/checkpoint.json"),
    JSON.stringify({ ...header, tensors: "../b/trainer.safetensors" }),
  );
  expect((await problemOf(read("a"))).code).toBe("checkpoint");
  for (const name of ["../a", "", "a/b"]) expect((await problemOf(save(name, stateOf(1)))).code).toBe("bad-name");
});

async function headerText(folder: string, save: (name: string, state: TrainerState) => Promise<void>): Promise<string> {
  await save("b", stateOf(1));
  return readFile(join(folder, "b/checkpoint.json"), "utf8");
}

test("a folder that cannot be written is a disk error with the path, and nothing is left", async () => {
  const { folder, save } = await places();
  await writeFile(folder, "a file");
  expect(await problemOf(save("a", stateOf(1)))).toMatchObject({ message: expect.stringContaining(folder) });
});

test("what killed writers left is removed; what the living write, and everything else, stays", async () => {
  const { folder, save } = await places();
  await removeLeftovers(folder);
  await save("a", stateOf(1));
  const id = "0b0b0b0b-1111-4222-8333-444444444444";
  // No system has a process of this number.
  const [dead, living, own, old, foreign] = [
    `.a.${2 ** 30}.${id}.tmp`,
    `.a.${process.ppid}.${id}.tmp`,
    `.a.${process.pid}.${id}.tmp`,
    `.b.${process.pid}.${id}.tmp`,
    ".someone.tmp",
  ];
  for (const name of [dead, living, own, old, foreign]) await mkdir(join(folder, name));
  await utimes(join(folder, old), new Date(0), new Date(0));
  await removeLeftovers(folder);
  expect((await readdir(folder)).sort()).toEqual(["a", living, own, foreign].sort());
});

test("adapters are the same when every number and target is", () => {
  expect(isSameAdapter(adapter, { ...adapter })).toBe(true);
  expect(isSameAdapter("full", "full")).toBe(true);
  for (const other of [{ rank: 3 }, { alpha: 5 }, { seed: 8 }, { targets: ["k_proj"] }]) {
    expect(isSameAdapter(adapter, { ...adapter, ...other })).toBe(false);
  }
  expect([isSameAdapter(adapter, "full"), isSameAdapter("full", adapter)]).toEqual([false, false]);
});
