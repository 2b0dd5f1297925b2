import { describe, expect, test } from "vitest";
import { convert, convertCommand, loaded, reasons } from "./testing/converted.ts";

describe("a prime-rl file", () => {
  const file = `
max_steps = 200
seq_len = 4096
output_dir = "outputs/sort"

[model]
name = "Qwen/Qwen3-4B-Instruct-2507"

[run]
name = "sort-4b"

[ckpt]
interval = 50
keep_last = 2

[monitors.wandb]
project = "sorting"
name = "first"

[deployment]
num_train_gpus = 1
num_infer_gpus = 1

[orchestrator]
batch_size = 256
group_size = 16
max_off_policy_steps = 16
tasks_per_minute = 600

[orchestrator.algo]
type = "grpo"
length_penalty = { type = "linear" }

[orchestrator.train.sampling]
temperature = 0.9
max_completion_tokens = 768

[[orchestrator.train.source]]
name = "sort"
ratio = 2.0
env = { taskset = { id = "alphabet-sort", min_turns = 3, power = 8 }, agent = { harness = { id = "loop" }, runtime = { type = "docker" } } }

[[orchestrator.train.source]]
env = { taskset = { id = "reverse-text" } }
curriculum = { sampler = { type = "difficulty_pool" } }

[orchestrator.eval]
interval = 25
num_examples = 64
group_size = 2
skip_first_step = true

[[orchestrator.eval.source]]
env = { taskset = { id = "alphabet-sort" } }

[trainer.model]
seq_len = 4096
ac = { mode = "full" }
lora = { rank = 32, alpha = 64.0, dropout = 0.0 }

[trainer.optim]
type = "adamw"
lr = 1e-5
max_norm = 0.5

[trainer.scheduler]
type = "cosine"
warmup_steps = 10

[inference.vllm]
gpu_memory_utilization = 0.9
`;

  test("becomes a run that means the same", async () => {
    const converted = await convert(file);
    expect(converted.from).toBe("prime-rl");
    const run = await loaded(converted);
    expect(run).toMatchObject({
      model: "Qwen/Qwen3-4B-Instruct-2507",
      name: "sort-4b",
      maxSteps: 200,
      seqLen: 4096,
      batchSize: 256,
      groupSize: 16,
      maxOffPolicySteps: 16,
      checkpoint: { interval: 50, keep: 2 },
      wandb: { project: "sorting", name: "first" },
      sampling: { temperature: 0.9, maxTokens: 768 },
      lora: { rank: 32, alpha: 64 },
      algorithm: {
        type: "grpo",
        normaliseByStd: false,
        loss: "dppo",
        lengthPenalty: { output: 0.25, input: 0.1, turns: 0.1 },
      },
      optimizer: {
        learningRate: 1e-5,
        gradClip: 0.5,
        weightDecay: 0.01,
        betas: [0.9, 0.999],
        schedule: { type: "cosine", warmupSteps: 10 },
      },
      env: [
        { id: "alphabet-sort", name: "sort", ratio: 2, args: { min_turns: 3, power: 8 }, harness: { id: "loop" } },
        { id: "reverse-text", name: "reverse-text", ratio: 1 },
      ],
      eval: { interval: 25, numTasks: 64, groupSize: 2, env: [{ id: "alphabet-sort" }] },
    });
  });

  test("lists each key without a counterpart, as it stood there, with the reason", async () => {
    expect(reasons(await convert(file))).toEqual({
      output_dir: "runs are kept in runs/<name>",
      "deployment.num_train_gpus": "an engine lays out its own hardware",
      "deployment.num_infer_gpus": "an engine lays out its own hardware",
      "inference.vllm.gpu_memory_utilization": "an engine lays out its own hardware",
      "orchestrator.tasks_per_minute": "rollouts in flight follow the engine's load",
      "orchestrator.eval.skip_first_step": "the start is always evaluated: it is what the end is compared with",
      "orchestrator.train.source.0.env.agent.runtime.type": "the environment chooses its sandbox; limits are max_turns",
      "orchestrator.train.source.1.curriculum.sampler.type": "[difficulty] is for the whole run",
      "trainer.model.ac.mode": "an engine lays out its own hardware",
    });
  });

  test("says which of its defaults were written out because ours differ", async () => {
    expect((await convert(file)).added).toEqual({ "optimizer.weight_decay": 0.01, "optimizer.betas": [0.9, 0.999] });
    const { added } = await convert('model.name = "m"\n[orchestrator]\ngroup_size = 4\n[[orchestrator.env]]\nid = "a"');
    expect(added).toMatchObject({
      lora: false,
      algorithm: { type: "grpo", loss: "dppo" },
      "optimizer.learning_rate": 1e-6,
    });
  });

  test("says the same twice, differently: the first counts, the second is listed", async () => {
    const text = 'model.name = "m"\nseq_len = 10\n[trainer.model]\nseq_len = 20\n[[orchestrator.env]]\nid = "a"';
    const converted = await convert(text);
    expect((await loaded(converted)).seqLen).toBe(10);
    expect(reasons(converted)).toEqual({ "trainer.model.seq_len": "seq_len is set to another value already: 10" });
  });
});

describe("a file for hosted training", () => {
  const file = `
model = "Qwen/Qwen3-4B-Thinking-2507"
name = "wordle"
max_steps = 50
batch_size = 256
rollouts_per_example = 16
learning_rate = 5e-5
lora_alpha = 32
oversampling_factor = 2.0
max_async_level = 2
trajectory_strategy = "interleaved"
env_file = ["secrets.env"]

[sampling]
max_tokens = 512
temperature = 1.0
enable_thinking = false

[[env]]
id = "primeintellect/wordle@0.2.1"
args = { max_guesses = 6 }

[[env]]
id = "primeintellect/alphabet-sort"

[buffer]
env_ratios = [0.7, 0.3]
online_difficulty_filtering = true
easy_threshold = 0.8
hard_threshold = 0.2
easy_fraction = 0.1
seed = 42

[eval]
interval = 10
num_examples = 30
rollouts_per_example = 2

[[eval.env]]
id = "primeintellect/wordle@0.2.1"
args = { max_guesses = 6 }

[wandb]
entity = "me"
project = "games"

[checkpoints]
interval = 10
keep_cloud = 5

[adapters]
interval = 0
`;

  test("becomes a run that means the same", async () => {
    const converted = await convert(file);
    expect(converted.from).toBe("prime-hosted");
    expect(await loaded(converted)).toMatchObject({
      model: "Qwen/Qwen3-4B-Thinking-2507",
      name: "wordle",
      maxSteps: 50,
      batchSize: 256,
      groupSize: 16,
      lead: 2,
      envFile: ["secrets.env"],
      sampling: { maxTokens: 512, temperature: 1, extra: { chat_template_kwargs: { enable_thinking: false } } },
      lora: { alpha: 32 },
      optimizer: { learningRate: 5e-5 },
      env: [
        { id: "primeintellect/wordle@0.2.1", name: "wordle", ratio: 0.7, args: { max_guesses: 6 } },
        { name: "alphabet-sort", ratio: 0.3 },
      ],
      difficulty: { filter: true, easyThreshold: 0.8, hardThreshold: 0.2, easyFraction: 0.1 },
      eval: { interval: 10, numTasks: 30, groupSize: 2 },
      checkpoint: { interval: 10, keep: 5 },
      wandb: { entity: "me", project: "games" },
      algorithm: { type: "grpo", loss: "dppo", normaliseByStd: false },
    });
    expect(reasons(converted)).toEqual({
      oversampling_factor: "rollouts in flight follow the engine's load",
      trajectory_strategy: "turns are merged wherever their tokens continue each other",
      "buffer.seed": "the run's seed is for everything",
      "adapters.interval": "the last adapter is always exported, and every checkpoint holds one",
    });
  });
});

describe("what cannot be converted", () => {
  test("a source without a model or an environment is told so", async () => {
    await expect(convertCommand("python train.py data.train_batch_size=4")).rejects.toThrow(
      expect.objectContaining({
        code: "config",
        message: expect.stringContaining("model: missing, expected a string"),
      }),
    );
  });

  test("a file that is no TOML has its place", async () => {
    await expect(convert("model = tiny")).rejects.toThrow(
      'theirs.toml:1:9 unexpected character. Text needs quotes: `"tiny"`.',
    );
  });

  test("keys that nobody knows are listed", async () => {
    const converted = await convert(
      'model = "m"\nlora_alpha = 3\nfrobnicate = { a = 1, b = 2 }\n[lora]\nx = 1\n[[env]]\nid = "a"\nzzz = 1',
    );
    expect(reasons(converted)).toEqual({
      "frobnicate.a": "not a key that Hone knows",
      "frobnicate.b": "not a key that Hone knows",
      "lora.x": "not a key that Hone knows",
      "env.0.zzz": "not a key that Hone knows",
    });
  });
});

test("a file of ours stays what it is, in the order of the documentation", async () => {
  const { from, toml, dropped, added } = await convert(
    'lora.rank = 4\nsampling.max_tokens = 3\nmodel = "m"\n[[env]]\nargs = { Ab = 1 }\nid = "a"\n',
  );
  expect({ from, dropped, added }).toEqual({ from: "hone", dropped: [], added: {} });
  expect(toml).toBe(
    'model = "m"\n\n[sampling]\nmax_tokens = 3\n\n[[env]]\nid = "a"\n\n[env.args]\nAb = 1\n\n[lora]\nrank = 4\n',
  );
});
