import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openModelFolder, writeModelFolder, writePeftAdapter } from "@hone/store/weights";
import { expect, test } from "vitest";
import { workspace } from "../testing/workspace.ts";
import { differentTensors } from "./compare-checkpoints.ts";
import { mergeAdapter } from "./merge-adapter.ts";

async function model() {
  const { folder: cwd } = await workspace();
  const q = { name: "model.layers.0.self_attn.q_proj.weight", dtype: "F32" as const, shape: [2, 2] };
  const norm = { name: "model.norm.weight", dtype: "F32" as const, shape: [2], data: Float32Array.of(1, 2) };
  const tensors = [{ ...q, data: Float32Array.of(1, 2, 3, 4) }, norm];
  await mkdir(join(cwd, "base"));
  await writeFile(join(cwd, "base", "tokenizer.json"), "{}");
  await writeModelFolder(join(cwd, "base"), { config: { model_type: "x" }, tensors });
  await writePeftAdapter(join(cwd, "adapter"), {
    baseModel: "./base",
    rank: 1,
    alpha: 2,
    targets: ["q_proj"],
    tensors: { "model.layers.0.self_attn.q_proj": { a: Float32Array.of(1, 10), b: Float32Array.of(1, 0) } },
  });
  return { cwd, name: q.name };
}

test("an adapter is folded into the model that it names, and the other files come along", async () => {
  const { cwd, name } = await model();
  await mergeAdapter({ adapter: join(cwd, "adapter"), output: join(cwd, "merged"), cwd });
  await using merged = await openModelFolder(join(cwd, "merged"));
  // W + (alpha / rank) B A
  expect([...(await merged.read(name)).toFloat32()]).toEqual([3, 22, 3, 4]);
  expect([...(await merged.read("model.norm.weight")).toFloat32()]).toEqual([1, 2]);
});

test("checkpoints are compared tensor by tensor, bit for bit", async () => {
  const { cwd, name } = await model();
  expect(await differentTensors(join(cwd, "base"), join(cwd, "base"))).toEqual([]);
  await mergeAdapter({ adapter: join(cwd, "adapter"), output: join(cwd, "merged"), cwd });
  expect(await differentTensors(join(cwd, "base"), join(cwd, "merged"))).toEqual([name]);
});
