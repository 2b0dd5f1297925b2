import { jsonSchemaOf } from "@hone/config";
import { HoneError } from "@hone/core";
import { describe, expect, test } from "vitest";
import { loadRunConfig } from "./load.ts";
import { RunConfig, RunFields } from "./run-config.ts";

const lines = (...text: string[]): string => text.join("\n");

/** What is said about a file that begins with a model and ends with an environment. */
async function complaint(middle: string, end = '[[env]]\nid = "reverse-text"'): Promise<string> {
  const text = lines('model = "hone/tiny"', middle, end);
  try {
    await loadRunConfig({ files: [{ path: "run.toml", text }] });
  } catch (error) {
    if (HoneError.is(error) && error.code === "config") return error.message;
    throw error;
  }
  return "";
}

describe("mistakes are shown at their place", () => {
  test("a batch that is no multiple of the group", async () => {
    expect(await complaint("batch_size = 100")).toBe(
      lines(
        "run.toml:2:14 batch_size: 100 is not a multiple of group_size 16; 96 and 112 are",
        "  2 | batch_size = 100",
        "    |              ^",
      ),
    );
    expect(await complaint("batch_size = 8")).toContain("8 is not a multiple of group_size 16; 16 is");
  });

  test("top_p in training, with the two ways out", async () => {
    expect(await complaint("sampling.top_p = 0.9")).toBe(
      lines(
        "run.toml:2:18 sampling.top_p: training takes temperature only: what cuts the distribution biases the gradient. Set it in [eval] sampling, or set allow_biased_sampling = true",
        "  2 | sampling.top_p = 0.9",
        "    |                  ^",
      ),
    );
    expect(await complaint("", '[[env]]\nid = "a"\nsampling = { top_k = 5 }')).toContain(
      "run.toml:5:22 env.0.sampling.top_k:",
    );
    expect(await complaint("allow_biased_sampling = true\nsampling.top_p = 0.9")).toBe("");
    expect(await complaint("sampling = { top_p = 1.0, top_k = -1, min_p = 0.0 }")).toBe("");
    expect(await complaint("eval.sampling.top_p = 0.9")).toBe("");
  });

  test("temperature 0 in training", async () => {
    expect(await complaint("sampling.temperature = 0")).toContain("the rollouts of a task would all be the same");
    expect(await complaint("eval.sampling.temperature = 0")).toBe("");
  });

  test("two environments of one name", async () => {
    const two = '[[env]]\nid = "./a/sort"\n[[env]]\nid = "@me/sort"';
    expect(await complaint("", two)).toContain(
      "run.toml:5:3 env.1: two environments are called sort; give one of them another `name`",
    );
    expect(await complaint("", `${two}\nname = "other"`)).toBe("");
    expect(await complaint("", '[[env]]\nid = "a"\nname = "b"\n[[env]]\nid = "b"')).toContain(
      "two environments are called b",
    );
  });

  test("names that metrics or files could not use", async () => {
    expect(await complaint("", '[[env]]\nid = "a"\nname = "x/y"')).toContain(
      'run.toml:5:8 env.0.name: "x/y" cannot be a name',
    );
    expect(await complaint("", '[[env]]\nid = "trained"')).toContain("`trained` means something else in metrics");
    expect(await complaint('name = "../mine"')).toContain("run.toml:2:8 name: use letters, digits");
  });

  test("a typo", async () => {
    expect(await complaint("group_sze = 4")).toContain("Unknown key `group_sze`. Did you mean `group_size`?");
    expect(await complaint("[optimizer]\nlerning_rate = 1")).toContain("Did you mean `learning_rate`?");
    expect(await complaint("[sampling]\nseed = 1")).toContain("noise is keyed by the run's seed");
    expect(await complaint('engine = "gpu"')).toContain("expected one of `cpu`, `torch`, `tinker`, `verl`");
    expect(await complaint("lora = true")).toContain("run.toml:2:8 lora: expected false or a table, found true");
    expect(await complaint("[lora]\nrnk = 4")).toContain("run.toml:3:1 lora: Unknown key `rnk`");
  });

  test("a group of one, where rollouts are compared", async () => {
    expect(await complaint("group_size = 1")).toContain(
      "run.toml:2:14 group_size: grpo compares rollouts of one task: it needs at least 2",
    );
    expect(await complaint('group_size = 1\nalgorithm.type = "sft"')).toBe("");
    expect(await complaint("", '[[env]]\nid = "a"\ngroup_size = 1')).toContain("run.toml:5:14 env.0.group_size:");
  });

  test("the same thing in env_ratios and in ratio", async () => {
    const ends = '[[env]]\nid = "a"\nratio = 2';
    expect(await complaint("env_ratios = [1]", ends)).toBe(
      lines(
        "run.toml:2:14 env_ratios: says the same as `ratio` in [[env]]; keep one of them",
        "  2 | env_ratios = [1]",
        "    |              ^",
        "run.toml:5:9 env.0.ratio: says the same as env_ratios; keep one of them",
        "  5 | ratio = 2",
        "    |         ^",
      ),
    );
    expect(await complaint("env_ratios = [1, 2]")).toContain("env_ratios: has 2 entries for 1 environments");
  });
});

describe("settings that would do nothing, or undo each other", () => {
  test.each([
    ["cpu.threads = 2\nengine = 'torch'", 'cpu: has no effect with engine "torch"'],
    ["teacher.endpoint = 'x'", "teacher: has no effect"],
    ["algorithm.type = 'opd'", "algorithm: opd learns from a teacher"],
    ["difficulty.easy_fraction = 0.1", "difficulty.easy_fraction: has no effect without easy_threshold"],
    ["difficulty.hard_fraction = 0.1", "difficulty.hard_fraction: has no effect without hard_threshold"],
    ["difficulty = { easy_threshold = 0.2, hard_threshold = 0.8 }", "must be less than easy_threshold, 0.2"],
    [
      "difficulty = { easy_threshold = 0.8, hard_threshold = 0.2, easy_fraction = 0.6, hard_fraction = 0.6 }",
      "more than 1 together",
    ],
    [
      "algorithm.type = 'sft'\ndifficulty.filter = true",
      "difficulty.filter: sft of reverse-text learns from groups whose rewards agree too",
    ],
    ["optimizer.schedule = { final = 0.1 }", "optimizer.schedule.final: has no effect with a constant rate"],
    ["optimizer.schedule = 'linear'\nepochs = 2", "linear needs max_steps"],
    ["lead = 3\nmax_off_policy_steps = 2", "max_off_policy_steps: is less than lead, 3"],
    ["seq_len = 32\nsampling.max_tokens = 32", "sampling.max_tokens: 32 leaves no room for a prompt: seq_len is 32"],
    ["algorithm.type = 'dapo'", "algorithm: the algorithm needs a length"],
    ["algorithm.type = 'dr_grpo'", "Set sampling.max_tokens, or algorithm.normaliser_tokens."],
    ["mlflow = { tracking_uri = 'ftp://x', experiment = 'x' }", "mlflow.tracking_uri"],
  ])("%s", async (middle, message) => {
    expect(await complaint(middle)).toContain(message);
  });

  test.each([
    "lead = 3\nmax_off_policy_steps = 2\nstale = 'keep'",
    "teacher.endpoint = 'x'\nalgorithm.type = 'opd'",
    "teacher.endpoint = 'x'\nalgorithm = { type = 'file', path = './mine.ts' }",
    "algorithm.type = 'dapo'\nsampling.max_tokens = 40",
    "optimizer.schedule = { type = 'linear', final = 0.1, warmup_steps = 3 }",
    "mlflow = { tracking_uri = 'http://127.0.0.1:5000', experiment = 'x' }",
    "difficulty = { easy_threshold = 0.8, hard_threshold = 0.2, easy_fraction = 0.1, hard_fraction = 0.1, filter = true }",
    "tensorboard = {}",
  ])("%s is fine", async (middle) => {
    expect(await complaint(middle)).toBe("");
  });
});

describe("what is measured is not what was trained on", () => {
  test("training on held-out tasks is refused while they are evaluated", async () => {
    const all = '[[env]]\nid = "a"\nsplit = "all"';
    expect(await complaint("", all)).toContain("run.toml:5:9 env.0.split: trains on the tasks that a is evaluated on.");
    expect(await complaint("eval = false", all)).toBe("");
    expect(await complaint("", `${all}\n[[eval.env]]\nid = "b"`)).toBe("");
  });

  test("evaluating on training tasks is refused", async () => {
    const ends = '[[env]]\nid = "a"\n[[eval.env]]\nid = "a"\nsplit = "train"';
    expect(await complaint("", ends)).toContain("eval.env.0.split: evaluates a on tasks that it is trained on.");
  });

  test("names are unique among what is evaluated", async () => {
    const ends = '[[env]]\nid = "a"\n[[eval.env]]\nid = "a"\n[[eval.env]]\nid = "x/a"';
    expect(await complaint("", ends)).toContain("eval.env.1: two environments are called a");
  });
});

test("every key has a description, for editors and for the documentation", () => {
  const undescribed: string[] = [];
  const look = (schema: unknown, path: string): void => {
    const node = schema as {
      properties?: Record<string, { description?: string }>;
      items?: unknown;
      anyOf?: unknown[];
    };
    for (const [key, field] of Object.entries(node.properties ?? {})) {
      const isNamedElsewhere = key === "type" || /sampling\.|schedule\./.test(`${path}${key}`);
      if (field.description === undefined && !isNamedElsewhere) undescribed.push(`${path}${key}`);
      look(field, `${path}${key}.`);
    }
    if (node.items !== undefined) look(node.items, path);
    for (const option of node.anyOf ?? []) look(option, path);
  };
  look(jsonSchemaOf(RunFields), "");
  expect(undescribed).toEqual([]);
});

test("the schema goes to editors as JSON Schema in the file's spelling", () => {
  const schema = JSON.stringify(jsonSchemaOf(RunConfig));
  for (const key of ["max_off_policy_steps", "allow_biased_sampling", "grad_clip", "tracking_uri"])
    expect(schema).toContain(key);
});
