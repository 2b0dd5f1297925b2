import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { evalDirectoryName, runDirectory, safeName, stepName, stepOf } from "./names.ts";
import { rolloutPaths, samplesPath, weightsPath } from "./run-paths.ts";

test("steps have six digits or more, and are whole numbers", () => {
  expect(rolloutPaths("run", 12)).toEqual({
    lines: join("run", "rollouts", "000012.jsonl"),
    tokens: join("run", "rollouts", "000012.tokens"),
  });
  expect(weightsPath("run", 1_234_567)).toBe(join("run", "weights", "1234567"));
  expect(samplesPath("run", 0, "safetensors")).toBe(join("run", "samples", "000000.safetensors"));
  for (const step of [-1, 1.5, Number.NaN, 2 ** 60]) expect(() => stepName(step)).toThrow("is not a step");
});

test("the step of a file is read back", () => {
  fc.assert(fc.property(fc.nat(), (step) => stepOf(`${stepName(step)}.jsonl`, ".jsonl") === step));
  for (const file of ["12.jsonl", "000012.tokens", "000012.jsonl.tmp", "x000012.jsonl"]) {
    expect(stepOf(file, ".jsonl")).toBeUndefined();
  }
});

test("a name never leads out of its folder", () => {
  for (const name of ["", ".", "..", "../x", "a/b", "a\\b", "a\0b", "a\nb", "x".repeat(201)]) {
    expect(() => runDirectory("runs", name)).toThrow("cannot be the name of a run");
    expect(() => samplesPath("run", 0, name)).toThrow("cannot be");
  }
  for (const name of ["my-run", "2026.01", "..x", "\u6570\u5b66"]) expect(safeName(name, "a run")).toBe(name);
});

test("an evaluation's folder says environment, model and id", () => {
  expect(evalDirectoryName({ env: "reverse-text", model: "openai/gpt-4.1", id: "a1b2" })).toBe(
    "reverse-text--openai_gpt-4.1--a1b2",
  );
  expect(evalDirectoryName({ env: "a--b", model: "./weights/000012", id: "-1-" })).toBe("a-b--__weights_000012--_1_");
  expect(() => evalDirectoryName({ env: "", model: "m", id: "1" })).toThrow("an environment");
});

test("whatever the names, the folder is one safe part with two separators", () => {
  const part = fc.string({ unit: "binary", minLength: 1 });
  fc.assert(
    fc.property(part, part, part, (env, model, id) => {
      const name = evalDirectoryName({ env, model, id });
      expect(name).toMatch(/^[\w.-]+$/);
      expect(name.split("--").length).toBe(3);
      expect(safeName(name, "an evaluation")).toBe(name);
    }),
  );
});
