import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hydraValue, readCommand, shellWords } from "./command-line.ts";

describe("words of a shell", () => {
  test.each<[string, string[]]>([
    ["a  b\tc\n", ["a", "b", "c"]],
    ["a='x y' b=\"x y\" c=x\\ y", ["a=x y", "b=x y", "c=x y"]],
    ["a \\\n  b \\\r\n c", ["a", "b", "c"]],
    ["# all of it\na # the rest\nb=c#d", ["a", "b=c#d"]],
    ['a="say \\"hi\\""', ['a=say "hi"']],
    ["trainer.logger=['console','wandb']", ["trainer.logger=[console,wandb]"]],
  ])("%j", (text, words) => {
    expect(shellWords(text)).toEqual(words);
  });

  test("words without anything special stay as they are", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[\w.=/:+,-]+$/)), (words) => {
        expect(shellWords(words.join(" "))).toEqual(words);
      }),
    );
  });
});

describe("values as Hydra writes them", () => {
  test.each([
    ["1", 1],
    ["1e-6", 1e-6],
    ["-1", -1],
    ["True", true],
    ["false", false],
    ["null", null],
    ["None", null],
    ["Qwen/Qwen3-4B", "Qwen/Qwen3-4B"],
    ["'12'", "12"],
    ["", ""],
    ["[]", []],
    ["[a, 'b,c', [1, 2]]", ["a", "b,c", [1, 2]]],
    ["{a: 1, 'b': {c: [x, y]}, d: 'e:f'}", { a: 1, b: { c: ["x", "y"] }, d: "e:f" }],
  ])("%s", (text, value) => {
    expect(hydraValue(text)).toEqual(value);
  });
});

test("a leading plus, `rllm.` and `rllm/` change nothing", () => {
  const { document } = readCommand(["+a.b=1", "++c=2", "rllm.d.e=3", "rllm/backend=tinker"]);
  expect(document).toEqual({ a: { b: 1 }, c: 2, d: { e: 3 }, backend: "tinker" });
});

test("programs and variables of the shell are no settings", () => {
  expect(readCommand(["CUDA_VISIBLE_DEVICES=0", "python3", "-m", "x.main", "set", "-e", "a=1"])).toMatchObject({
    document: { a: 1 },
  });
});
