import { expect, test } from "vitest";
import type { Evaluation } from "./evaluation.ts";
import type { Matrix } from "./matrix.ts";
import { renderEvaluation, renderMatrix } from "./render.ts";
import { number, oneLine } from "./text.ts";

const evaluation: Evaluation = {
  env: "gsm8k",
  envVersion: "1.0.0",
  model: "qwen3-8b",
  directory: "evals/gsm8k--qwen3-8b--4f2a",
  interrupted: false,
  tasks: 20,
  rollouts: 80,
  failed: 2,
  reward: { mean: 0.6333, ci95: [0.5211, 0.7455], standardDeviation: 0.4823, n: 78 },
  rewards: {
    correct: { mean: 0.6333, ci95: [0.5211, 0.7455], standardDeviation: 0.4823, n: 78 },
    format: { mean: 0.95, ci95: [0.9, 1], standardDeviation: 0.2, n: 78 },
  },
  metrics: {
    turns: { mean: 1, ci95: [1, 1], standardDeviation: 0, n: 78 },
    output_tokens: { mean: 310.44, ci95: null, standardDeviation: null, n: 78 },
  },
  passThreshold: 0.5,
  passes: [
    { k: 1, any: 0.6333, all: 0.6333, tasks: 20 },
    { k: 2, any: 0.7111, all: 0.55, tasks: 20 },
    { k: 4, any: 0.8, all: 0.45, tasks: 18 },
  ],
  tokens: { input: { mean: 1204.2, total: 96_336 }, output: { mean: 310.4, total: 24_832 } },
  seconds: { mean: 2.1, p50: 1.8, p95: 4 },
  cost: { mean: 0.00021, total: 0.0168 },
  stops: [
    { stop: "answered", count: 75 },
    { stop: "limit turns", count: 3 },
    { stop: "failed", count: 2 },
  ],
  truncated: 0.0375,
  errors: [{ boundary: "model", code: "rate-limit", count: 2, message: "Too many\n  requests" }],
  notes: ["Evaluated once, though it came up again: 1 task."],
};

test("an evaluation as text", () => {
  expect(renderEvaluation(evaluation)).toBe(
    `
gsm8k · qwen3-8b · 80 rollouts of 20 tasks · 2 failed

                mean   95 % interval  deviation
reward         0.633  0.521 to 0.746      0.482
  correct      0.633  0.521 to 0.746      0.482
  format       0.950  0.900 to 1.000      0.200
turns          1.000  1.000 to 1.000      0.000
output_tokens  310.4

k           1      2      4
pass@k  0.633  0.711  0.800
pass^k  0.633  0.550  0.450
correct: a reward of 0.5 or more

tokens     1,204 in and 310 out per rollout, 96,336 in and 24,832 out in all
seconds    2.100 mean, 1.800 median, 4.000 p95
cost       $0.0168, $0.0002 per rollout
stops      answered 75, limit turns 3, failed 2
truncated  3.8 %

failed  boundary  code        first message
     2  model     rate-limit  Too many requests

note: Evaluated once, though it came up again: 1 task.
evals/gsm8k--qwen3-8b--4f2a`.slice(1),
  );
});

test("colour adds weight and changes no word", () => {
  const plain = renderEvaluation(evaluation, { color: true }).replaceAll(/.\[(?:1|2|22)m/g, "");
  expect(plain).toBe(renderEvaluation(evaluation));
  expect(renderEvaluation(evaluation, { color: true })).toContain("\u001B[1mgsm8k · qwen3-8b\u001B[22m");
});

test("an evaluation that was stopped before its first result says so in one line", () => {
  const empty: Evaluation = {
    ...evaluation,
    directory: null,
    interrupted: true,
    rollouts: 0,
    tasks: 0,
    failed: 0,
    reward: null,
    passes: [],
    errors: [],
    notes: [],
  };
  expect(renderEvaluation(empty)).toBe("gsm8k · qwen3-8b · 0 rollouts of 0 tasks · interrupted");
});

test("a matrix has a row per environment, a column per model, and its errors below", () => {
  const matrix: Matrix = {
    envs: ["gsm8k", "word-guess"],
    models: ["small", "large"],
    cells: [
      { env: "gsm8k", model: "small", evaluation },
      { env: "gsm8k", model: "large", evaluation: { ...evaluation, failed: 0 } },
      {
        env: "word-guess",
        model: "small",
        error: { code: "unknown-environment", message: "There is no word-guess.", hint: "hone env list" },
      },
    ],
  };
  expect(renderMatrix(matrix)).toBe(
    `
                               small          large
gsm8k       0.633 ± 0.112 (2 failed)  0.633 ± 0.112
word-guess                   error 1        not run

error 1  word-guess on small: There is no word-guess.
  hone env list`.slice(1),
  );
});

test("numbers are as long as they are useful", () => {
  expect([0, 0.12345, -1.5, 12.345, 1234.5, 1e6].map(number)).toEqual([
    "0.000",
    "0.123",
    "-1.500",
    "12.3",
    "1,235",
    "1,000,000",
  ]);
  expect(oneLine(`a\n\n b ${"x".repeat(200)}`)).toHaveLength(100);
});
