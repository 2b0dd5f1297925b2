import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonSchemaOf } from "@hone/config";
import { HoneError } from "@hone/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LoadedRun, loadRunConfig, runConfigFor } from "./load.ts";
import { relativeRows } from "./relatives/rows.ts";
import { RunFields } from "./run-config.ts";

const lines = (...text: string[]): string => text.join("\n");
const start = 'model = "hone/tiny"\n';
const end = '\n[[env]]\nid = "reverse-text"\n';

function load(middle: string, ...overrides: string[]): Promise<LoadedRun> {
  return loadRunConfig({ files: [{ path: "run.toml", text: start + middle + end }], overrides });
}

async function failure(promise: Promise<LoadedRun>): Promise<HoneError> {
  try {
    await promise;
  } catch (error) {
    if (HoneError.is(error)) return error;
    throw error;
  }
  throw new Error("it was loaded");
}

describe("reading", () => {
  test("files compose from left to right, and overrides come last", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hone-run-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "base.toml"), `${start}max_steps = 5\nseed = 1\n[lora]\nrank = 4\nalpha = 8\n${end}`);
    await writeFile(join(folder, "mine.toml"), 'seed = 2\n[lora]\nrank = 16\n[[env]]\nid = "sort"\n');
    const { config, place } = await loadRunConfig({
      files: ["base.toml", "mine.toml"],
      overrides: ["optimizer.learning_rate=1e-3", "env.0.ratio=2"],
      cwd: folder,
    });
    expect(config).toMatchObject({
      maxSteps: 5,
      seed: 2,
      lora: { rank: 16, alpha: 8 },
      env: [{ id: "sort", ratio: 2 }],
      optimizer: { learningRate: 1e-3 },
    });
    expect(config.env).toHaveLength(1);
    expect(place(["seed"])).toMatchObject({ file: "mine.toml", line: 1 });
  });

  test("the text of the resolved run is a run by itself, without notes", async () => {
    const { config, toml } = await load("[buffer]\nonline_difficulty_filtering = true\n", "lr=1e-3");
    const again = await loadRunConfig({ files: [{ path: "run.toml", text: toml }] });
    expect(again).toMatchObject({ config, toml, notes: [] });
  });

  test("an environment's name and a model are a run", async () => {
    const { config, notes } = await runConfigFor({ env: "word-guess", model: "hone/tiny" });
    expect(config).toMatchObject({ model: "hone/tiny", maxSteps: 20, env: [{ id: "word-guess", name: "word-guess" }] });
    expect(notes).toEqual([]);
    const more = await runConfigFor({
      env: "./a b",
      model: "m",
      sets: ["env.0.name=x", "max_steps=3", "group_size=4"],
    });
    expect(more.config).toMatchObject({ maxSteps: 3, groupSize: 4, env: [{ id: "./a b", name: "x" }] });
  });

  test("a missing file is named", async () => {
    expect((await failure(loadRunConfig({ files: ["nowhere.toml"] }))).message).toBe(
      "There is no configuration file nowhere.toml.",
    );
  });
});

describe("names of relatives are understood, with a note that has ours", () => {
  test.each<[string, object, string]>([
    ["rollouts_per_example = 8", { groupSize: 8 }, "`rollouts_per_example` is understood as `group_size`"],
    ["training.group_size = 8", { groupSize: 8 }, "`training.group_size` is understood as `group_size`"],
    [
      "actor_rollout_ref.rollout.n = 8",
      { groupSize: 8 },
      "`actor_rollout_ref.rollout.n` is understood as `group_size`",
    ],
    ["orchestrator.batch_size = 32", { batchSize: 32 }, "`orchestrator.batch_size` is understood as `batch_size`"],
    [
      "[buffer]\neasy_threshold = 0.9",
      { difficulty: { easyThreshold: 0.9 } },
      "`buffer.easy_threshold` is understood as `difficulty.easy_threshold`",
    ],
    [
      "[buffer]\nonline_difficulty_filtering = true",
      { difficulty: { filter: true } },
      "`buffer.online_difficulty_filtering` is understood as `difficulty.filter`",
    ],
    ["[buffer]\nenv_ratios = [2]", { env: [{ ratio: 2 }] }, "`buffer.env_ratios` is understood as `env_ratios`"],
    ["[eval]\nnum_examples = 7", { eval: { numTasks: 7 } }, "`eval.num_examples` is understood as `eval.num_tasks`"],
    [
      "[optimizer]\nlr = 1e-3",
      { optimizer: { learningRate: 1e-3 } },
      "`optimizer.lr` is understood as `optimizer.learning_rate`",
    ],
    [
      "learning_rate = 1e-3",
      { optimizer: { learningRate: 1e-3 } },
      "`learning_rate` is understood as `optimizer.learning_rate`",
    ],
    ["lora_alpha = 4", { lora: { alpha: 4, rank: 8 } }, "`lora_alpha` is understood as `lora.alpha`"],
    [
      "[ckpt]\ninterval = 2\nkeep_last = 1",
      { checkpoint: { interval: 2, keep: 1 } },
      "`ckpt` is understood as `checkpoint`",
    ],
    [
      "sampling.max_completion_tokens = 9",
      { sampling: { maxTokens: 9 } },
      "`sampling.max_completion_tokens` is understood as `sampling.max_tokens`",
    ],
    [
      "[monitors.wandb]\nproject = 'p'\noffline = true",
      { wandb: { project: "p", mode: "offline" } },
      "`monitors.wandb` is understood as `wandb`",
    ],
    ["trainer.total_epochs = 3", { epochs: 3 }, "`trainer.total_epochs` is understood as `epochs`"],
    ["env_files = ['a.env']", { envFile: ["a.env"] }, "`env_files` is understood as `env_file`"],
    ["max_async_level = 1", { lead: 1 }, "`max_async_level` is understood as `lead`"],
    [
      "orchestrator.algo = { type = 'grpo' }",
      { algorithm: { type: "grpo", normaliseByStd: false, loss: "dppo" } },
      "`orchestrator.algo` is understood as `algorithm`",
    ],
  ])("%s", async (middle, value, note) => {
    const { config, notes } = await load(middle);
    expect(config).toMatchObject(value);
    expect(notes).toContain(note);
  });

  test("tasks per batch become rollouts per batch, by the group size of the whole run", async () => {
    const { config, notes } = await load("rollouts_per_example = 4\n[data]\ntrain_batch_size = 6", "group_size=8");
    expect(config).toMatchObject({ groupSize: 8, batchSize: 48 });
    expect(notes).toContain("`data.train_batch_size` is understood as `batch_size`, times the group size of 8");
    expect((await load("", "data.train_batch_size=2")).config.batchSize).toBe(32);
  });

  test("environments under other names, with their keys", async () => {
    const text = lines(
      start,
      "[[orchestrator.train.env]]",
      'env_id = "hone/sort@1.0"',
      "env_args = { Max = 3 }",
      'system_prompt = "Sort."',
      "max_samples = 10",
      "rollouts_per_example = 4",
      "[[orchestrator.train.env]]",
      'taskset = { id = "reverse-text", words = 2 }',
      'agent = { harness = { id = "loop" }, max_turns = 2 }',
      "sampling = { max_completion_tokens = 8 }",
    );
    const { config } = await loadRunConfig({ files: [{ path: "run.toml", text }] });
    expect(config.env).toMatchObject([
      { id: "hone/sort@1.0", name: "sort", args: { Max: 3 }, system: "Sort.", maxTasks: 10, groupSize: 4 },
      { id: "reverse-text", args: { words: 2 }, harness: { id: "loop" }, maxTurns: 2, sampling: { maxTokens: 8 } },
    ]);
  });

  test("rLLM's way to name an environment works on the command line, plus and all", async () => {
    const { config } = await loadRunConfig({
      files: [{ path: "run.toml", text: start }],
      overrides: ["+verifiers.env_id=reverse-text"],
    });
    expect(config.env).toMatchObject([{ id: "reverse-text" }]);
  });
});

describe("what is not clear is an error", () => {
  test("both spellings of one thing, with both places", async () => {
    const error = await failure(load("[optimizer]\nlr = 1e-3\nlearning_rate = 2e-3"));
    expect(error.message).toBe(
      lines(
        "run.toml:3:1 `optimizer.lr` is another name of `optimizer.learning_rate`, which is set at run.toml:4:1. Keep one of them.",
        "  3 | lr = 1e-3",
        "    | ^",
      ),
    );
  });

  test("what has no counterpart says why, and how a whole file is rewritten", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hone-run-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "rl.toml"), `${start}[inference]\nserver.port = 1\n${end}`);
    const error = await failure(loadRunConfig({ files: ["rl.toml"], cwd: folder }));
    expect(error.message).toContain(
      "rl.toml:2:2 inference: has no counterpart in Hone: an engine lays out its own hardware",
    );
    expect(error.hint).toBe("`hone config convert rl.toml` writes the file anew and lists what has no counterpart.");
  });

  test("what means several of our settings says which", async () => {
    const { message } = await failure(load("algorithm = { type = 'grpo', eps_clip = 0.2 }"));
    expect(message).toContain("write `algorithm.clip_low = 0.8` and `algorithm.clip_high = 1.2` instead");
    expect((await failure(load("agent.max_steps = 4"))).message).toContain("write `max_turns = 4` in [[env]] instead");
    expect((await failure(load("optim = { type = 'adamw' }"))).message).toContain(
      "says what is so anyway; leave it out",
    );
  });

  test("a value that has no counterpart", async () => {
    expect((await failure(load("[eval]\nnum_examples = -1"))).message).toContain(
      "eval.num_examples: -1 (all tasks) has no counterpart; give a number",
    );
  });
});

test("no name of a relative is a name of ours, and each is listed once", () => {
  const own = new Set<string>();
  const look = (schema: unknown, path: string): void => {
    const node = schema as {
      properties?: Record<string, unknown>;
      items?: unknown;
      anyOf?: unknown[];
      oneOf?: unknown[];
    };
    for (const [key, field] of Object.entries(node.properties ?? {})) {
      own.add(path + key);
      look(field, `${path}${key}.`);
    }
    if (node.items !== undefined) look(node.items, path);
    for (const option of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) look(option, path);
  };
  look(jsonSchemaOf(RunFields), "");
  expect(own.size).toBeGreaterThan(150);
  const names = relativeRows.map(({ from }) => from);
  expect(names.filter((name) => own.has(name))).toEqual([]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("every name that is understood leads to a name of ours, or to another one that does", () => {
  const own = JSON.stringify(jsonSchemaOf(RunFields));
  const sources = new Set(relativeRows.map(({ from }) => from));
  const lost = relativeRows.filter((row) => {
    if (!("to" in row)) return false;
    const last = row.to.split(".").at(-1) ?? "";
    const isOurs = own.includes(`"${last}":`) || row.to.includes("chat_template_kwargs");
    const isStep = [...sources].some((from) => from === row.to || from.startsWith(`${row.to}.`));
    return !isOurs && !isStep;
  });
  expect(lost).toEqual([]);
});
