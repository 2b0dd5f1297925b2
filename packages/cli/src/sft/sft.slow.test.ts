// The real program on the embedded engine: a small model from scratch, killed on the way, ends with the very weights of one that was not.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tinyModelFolder } from "@hone/tiny";
import { expect, test } from "vitest";
import { start, until } from "../testing/binary.ts";
import { workspace } from "../testing/workspace.ts";

const toml = `model = "./shape"
init = "random"
init_seed = 3
epochs = 3
batch_tokens = 400
seq_len = 64
checkpoint = { interval = 1, keep = 2 }
cpu = { threads = 1 }
[[data]]
path = "data.jsonl"
[eval]
fraction = 0.1
interval = 10
[optimizer]
learning_rate = 3e-3
schedule = { type = "cosine", warmup_steps = 3, final = 0.1 }
`;

/** What makes a model that trains in milliseconds: a shape without weights, and a tokenizer. */
async function writeShape(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of ["tokenizer.json", "tokenizer_config.json", "generation_config.json"]) {
    await cp(join(tinyModelFolder, file), join(folder, file));
  }
  const config = JSON.parse(await readFile(join(tinyModelFolder, "config.json"), "utf8")) as object;
  const small = { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, num_key_value_heads: 1, head_dim: 16 };
  await writeFile(join(folder, "config.json"), JSON.stringify({ ...config, ...small, intermediate_size: 64 }));
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function rows(path: string): Map<number, unknown> {
  const found = new Map<number, unknown>();
  for (const line of readFileSync(path, "utf8").split("\n").filter(Boolean)) {
    const { step, ...row } = JSON.parse(line) as { readonly step: number };
    found.set(step, Object.fromEntries(Object.entries(row).filter(([name]) => !/second/.test(name))));
  }
  return found;
}

test("a model from scratch that was killed on the way ends like one that was not", async () => {
  const { folder: cwd, write } = await workspace();
  await writeShape(join(cwd, "shape"));
  const words = ["red", "green", "blue", "white"];
  const line = (index: number): string =>
    JSON.stringify({ prompt: `say ${index}`, completion: words[index % words.length] });
  await write("data.jsonl", Array.from({ length: 150 }, (_, index) => `${line(index)}\n`).join(""));
  await write("run.toml", toml);

  const whole = await start(["sft", "run.toml", "--run", "whole", "--json"], { cwd }).ended;
  expect(whole.stderr).toBe("");
  const outcome = JSON.parse(whole.stdout) as { readonly loss: { readonly before: number; readonly after: number } };
  expect(outcome.loss.after).toBeLessThan(outcome.loss.before - 1);

  const checkpoints = join(cwd, "runs/killed/checkpoints.jsonl");
  const killed = start(["sft", "run.toml", "--run", "killed", "--json"], { cwd });
  await until(() => existsSync(checkpoints) && readFileSync(checkpoints, "utf8").split("\n").length > 5);
  killed.child.kill("SIGKILL");
  expect((await killed.ended).signal).toBe("SIGKILL");
  // What a run started from is made again where it is gone: the seed says it all.
  await rm(join(cwd, "runs/killed/init"), { recursive: true });
  const resumed = await start(["sft", "--resume", "killed", "--json"], { cwd }).ended;
  expect(resumed.stderr).toBe("");

  for (const stream of ["updates", "evals"]) {
    expect(rows(join(cwd, `runs/killed/${stream}.jsonl`))).toEqual(rows(join(cwd, `runs/whole/${stream}.jsonl`)));
  }
  const model = "model/model.safetensors";
  expect(digest(join(cwd, "runs/killed", model))).toBe(digest(join(cwd, "runs/whole", model)));
  expect(existsSync(join(cwd, "runs/killed/model/tokenizer.json"))).toBe(true);
}, 120_000);

test("Ctrl-C saves and exports what was learnt, and says how to go on", async () => {
  const { folder: cwd, write } = await workspace();
  await writeShape(join(cwd, "shape"));
  await write(
    "data.jsonl",
    Array.from({ length: 50 }, (_, i) => `{"prompt":"say ${i}","completion":"red"}\n`).join(""),
  );
  await write("run.toml", toml.replace("epochs = 3", "max_steps = 100000"));
  const { child, ended } = start(["sft", "run.toml", "--run", "x", "--set", "checkpoint.interval=1000"], { cwd });
  const updates = join(cwd, "runs/x/updates.jsonl");
  await until(() => existsSync(updates) && readFileSync(updates, "utf8").includes("\n"));
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toContain("hone sft --resume x");
  expect(existsSync(join(cwd, "runs/x/model/model.safetensors"))).toBe(true);
  expect(readFileSync(join(cwd, "runs/x/checkpoints.jsonl"), "utf8")).toContain('"kind":"sft"');
}, 60_000);
