import { join } from "node:path";
import { type Environment, HoneError } from "@hone/core";
import { defineEnvironment } from "@hone/env";
import { isRun } from "@hone/store";
import { describe, expect, test } from "vitest";
import { type EvalEnvConfig, readMatrix } from "./eval-config.ts";
import { evaluateMatrix, type MatrixOptions } from "./matrix.ts";
import { adder, addition, sums, temporaryDirectory } from "./testing/environments.ts";
import { withMembers } from "./with-members.ts";

const read = (text: string, set: readonly string[] = []) => readMatrix({ files: [{ path: "eval.toml", text }], set });

describe("the file", () => {
  test("is small by default", async () => {
    const { config } = await read('model = "m"\n[[env]]\nid = "gsm8k"');
    expect(config).toEqual({
      model: "m",
      groupSize: 1,
      concurrency: 32,
      seed: 0,
      shuffle: false,
      passThreshold: 0.5,
      sampling: {},
      envFile: [],
      env: [{ id: "gsm8k", args: {} }],
    });
  });

  test("takes everything, in snake_case; arguments keep their own spelling", async () => {
    const { config } = await read(`
models = ["a", "b"]
num_tasks = 20
group_size = 4
endpoints = "models.toml"
env_file = ["secrets.env"]
[sampling]
max_tokens = 256
[[env]]
id = "@hone/word-guess"
args = { max_guesses = 4 }
max_turns = 6
harness = { id = "single", note = "x" }
sampling = { temperature = 0.2 }
`);
    expect(config).toMatchObject({
      models: ["a", "b"],
      numTasks: 20,
      envFile: ["secrets.env"],
      sampling: { maxTokens: 256 },
    });
    expect(config.env[0]).toEqual({
      id: "@hone/word-guess",
      args: { max_guesses: 4 },
      maxTurns: 6,
      harness: { id: "single", note: "x" },
      sampling: { temperature: 0.2 },
    });
  });

  test("understands the names of other tools and says so", async () => {
    const { config, notes } = await read(
      'model = "m"\nnum_examples = 5\nrollouts_per_example = 3\n[[env]]\nenv_id = "x"\nenv_args = { a = 1 }',
    );
    expect(config).toMatchObject({ numTasks: 5, groupSize: 3, env: [{ id: "x", args: { a: 1 } }] });
    expect(notes).toContain("`num_examples` is understood as `num_tasks`");
  });

  test("is refused with the place of what is wrong", async () => {
    await expect(read('model = "m"\n[[env]]\nid = "x"\ngroup_sise = 2')).rejects.toThrow(/eval\.toml:4:1.*group_size/s);
    await expect(read('[[env]]\nid = "x"')).rejects.toThrow("name one `model` or a list of `models`");
    await expect(read('model = "m"\n[[env]]\nid = "a/x"\n[[env]]\nid = "b/x"')).rejects.toThrow(
      "two environments are called x",
    );
    await expect(read('model = "m"')).rejects.toThrow("env");
  });

  test("is changed by --set", async () => {
    expect((await read('model = "m"\n[[env]]\nid = "x"', ["env.0.num_tasks=3"])).config.env[0]?.numTasks).toBe(3);
  });
});

const right = adder(({ a, b }) => String(a + b), "right");
const wrong = adder(() => "?", "wrong");

function loader(closed: string[] = []): Pick<MatrixOptions, "loadEnvironment" | "resolveModel"> {
  const environments: Record<string, Environment> = {
    addition: addition(),
    echo: defineEnvironment({ name: "echo", tasks: sums(5), prompt: () => "say hi", rewards: { any: () => 1 } }),
  };
  return {
    loadEnvironment: async ({ id }: EvalEnvConfig) => {
      const environment = environments[id];
      if (environment === undefined)
        throw new HoneError(`There is no environment ${id}.`, { code: "unknown-environment", hint: "hone env list" });
      return { environment, version: "1.0.0", close: async () => void closed.push(id) };
    },
    resolveModel: async (name) => {
      const model = [right, wrong].find((one) => one.name === name);
      if (model === undefined) throw new Error(`no model ${name}`);
      return { model, price: { input: 1, output: 1 } };
    },
  };
}

describe("the matrix", () => {
  test("evaluates every environment on every model", async () => {
    await using folder = await temporaryDirectory();
    const { config } = await read(`
models = ["right", "wrong"]
num_tasks = 4
[[env]]
id = "addition"
name = "sums"
num_tasks = 3
group_size = 2
[[env]]
id = "echo"
max_tasks = 2
`);
    const closed: string[] = [];
    const directoryOf = ({ env, model }: { env: string; model: string }): string =>
      join(folder.path, `${env}--${model}`);
    const matrix = await evaluateMatrix({ config, ...loader(closed), directoryOf });
    expect(matrix).toMatchObject({ envs: ["sums", "echo"], models: ["right", "wrong"] });
    expect(
      matrix.cells.map(({ env, model, evaluation }) => [env, model, evaluation?.rollouts, evaluation?.reward?.mean]),
    ).toEqual([
      ["sums", "right", 6, 1],
      ["sums", "wrong", 6, 0],
      ["echo", "right", 2, 1],
      ["echo", "wrong", 2, 1],
    ]);
    expect(matrix.cells[0]?.evaluation).toMatchObject({ envVersion: "1.0.0", cost: { total: expect.any(Number) } });
    expect(closed).toEqual(["addition", "echo"]);
    expect(await isRun(join(folder.path, "sums--wrong"))).toBe(true);
  });

  test("goes on when a cell fails, and keeps why", async () => {
    const { config } = await read('models = ["right", "nobody"]\n[[env]]\nid = "missing"\n[[env]]\nid = "addition"');
    const { cells } = await evaluateMatrix({ config, ...loader() });
    expect(cells.map(({ env, model, error }) => [env, model, error?.code ?? "fine"])).toEqual([
      ["missing", "right", "unknown-environment"],
      ["missing", "nobody", "unknown-environment"],
      ["addition", "right", "fine"],
      ["addition", "nobody", "error"],
    ]);
    expect(cells[0]?.error).toEqual({
      code: "unknown-environment",
      message: "There is no environment missing.",
      hint: "hone env list",
    });
  });

  test("hands limits, system message, sampling and harness on", async () => {
    const { config } = await read(
      'model = "right"\n[sampling]\ntemperature = 0.5\n[[env]]\nid = "spy"\nsystem = "be brief"\nmax_turns = 2\nsampling = { max_tokens = 7 }\ntools = []',
    );
    const requests: unknown[] = [];
    const inner = addition({ tasks: sums(1) });
    const environment = withMembers(inner, {
      rollout: (request) => {
        requests.push({
          settings: request.settings,
          sampling: request.resources.sampling,
          harness: request.resources.harness?.id,
        });
        return inner.rollout(request);
      },
    });
    const harness = { id: "mine", run: async () => ({ type: "answered" }) as const };
    await evaluateMatrix({ config, ...loader(), loadEnvironment: async () => ({ environment, harness }) });
    expect(requests).toEqual([
      {
        settings: { name: "spy", version: "0.0.0", system: "be brief", tools: [], limits: { turns: 2 } },
        sampling: { temperature: 0.5, maxTokens: 7 },
        harness: "mine",
      },
    ]);
  });

  test("leaves out what an abort did not reach", async () => {
    const { config } = await read('models = ["right", "wrong"]\n[[env]]\nid = "addition"\n[[env]]\nid = "echo"');
    const controller = new AbortController();
    const matrix = await evaluateMatrix({
      config,
      ...loader(),
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(matrix.cells).toHaveLength(1);
    expect(matrix.cells[0]?.evaluation?.interrupted).toBe(true);
  });
});
