import { expect, test } from "vitest";
import { workspace } from "../testing/workspace.ts";

test("doctor says what computes, what runs code, and what is missing", async () => {
  const { hone } = await workspace();
  const { code, stdout } = await hone(["doctor"], { env: { PATH: "" } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^hone +yes +\d+\.\d+\.\d+$/m);
  expect(stdout).toMatch(/^cpu engine +(?:yes|no) +(?:addon|WASM), \w+, \d+ threads/m);
  expect(stdout).toMatch(/^docker +no +not on PATH$/m);
  const { findings } = JSON.parse((await hone(["doctor", "--json"])).stdout) as {
    readonly findings: readonly { readonly name: string }[];
  };
  expect(findings.map(({ name }) => name)).toContain("bubblewrap");
});

test("with a model, doctor shows what training it takes of the memory", async () => {
  const { hone } = await workspace();
  const { code, stdout } = await hone(["doctor", "--model", "hone/tiny"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}memory +LoRA, rank 8 +all weights$/m);
  expect(stdout).toMatch(/^ {2}in all +[\d.]+ [MG]B +[\d.]+ [MG]B$/m);
  expect((await hone(["doctor", "--model", "nothing"])).stderr).toContain("There is no model `nothing`");
});
