import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoneError, type JsonObject } from "@hone/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groupOf } from "../sample/testing/rollouts.ts";
import { AlgorithmConfig } from "./config.ts";
import { loadAlgorithm, openAlgorithm } from "./from-file.ts";

let folder = "";
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hone-algorithm-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A module of its own for each test: a module is loaded once. */
async function file(text: string, extension = "mjs"): Promise<string> {
  const name = `algorithm-${files++}.${extension}`;
  await writeFile(join(folder, name), text);
  return `./${name}`;
}

const whole = `{
  name: "mine", needs: [], loss: { type: "importance_sampling" },
  credit: (group, state) => ({ credit: group.rollouts.map(() => scale), state }),
}`;

async function complaint(text: string, parameters?: JsonObject): Promise<HoneError> {
  const path = await file(text);
  try {
    await loadAlgorithm(path, { cwd: folder, ...(parameters === undefined ? {} : { parameters }) });
  } catch (error) {
    if (HoneError.is(error)) return error;
    throw error;
  }
  throw new Error("it was loaded");
}

describe("an algorithm in a file", () => {
  test("is the default export", async () => {
    const algorithm = await loadAlgorithm(await file(`const scale = 2; export default ${whole};`), { cwd: folder });
    expect(algorithm).toMatchObject({ name: "mine", needs: [] });
    expect(algorithm.credit(groupOf([1, 0]), null)).toEqual({ credit: [2, 2], state: null });
  });

  test("may be a function of the parameters in the run's file, in TypeScript, and asynchronous", async () => {
    const text = `export default async ({ scale }: { readonly scale: number }) => (${whole});`;
    const config = AlgorithmConfig.parse({ type: "file", path: await file(text, "ts"), parameters: { scale: 3 } });
    const algorithm = await openAlgorithm(config, { cwd: folder });
    expect(algorithm.credit(groupOf([1, 0]), null).credit).toEqual([3, 3]);
  });

  test("may have a loss that is a function, and a look at the whole batch", async () => {
    const text = `const scale = 1;
      export default { ...${whole}, needs: ["reference", "teacher"], loss: () => ({ value: 0, gradient: new Float32Array(1) }), finish: (batch) => batch };`;
    expect(await loadAlgorithm(await file(text), { cwd: folder })).toMatchObject({ needs: ["reference", "teacher"] });
  });

  test("is opened beside those of Hone", async () => {
    const grpo = AlgorithmConfig.parse({ type: "grpo" });
    expect((await openAlgorithm(grpo, { cwd: folder })).name).toBe("grpo");
    const dapo = AlgorithmConfig.parse({ type: "dapo" });
    expect((await openAlgorithm(dapo, { cwd: folder, maxTokens: 20 })).name).toBe("dapo");
  });
});

describe("what is wrong with a file is told before the run starts", () => {
  test.each([
    ["export const x = 1;", "has no default export."],
    ["export default 3;", "is no algorithm: it gives a value of type number."],
    ["export default () => undefined;", "is no algorithm: it gives undefined."],
    [`export default { needs: [], loss: { type: "none" }, credit() {} };`, "has no name."],
    [`export default { name: "x", needs: [], loss: { type: "none" } };`, "has no credit function."],
    [
      `export default { name: "x", needs: [], loss: { type: "none" }, credit: 1 };`,
      "has a value of type number as credit.",
    ],
    [`export default { name: "x", needs: "teacher", loss: { type: "none" }, credit() {} };`, "has wrong needs."],
    [`export default { name: "x", needs: ["judge"], loss: { type: "none" }, credit() {} };`, "has wrong needs."],
    [`export default { name: "x", needs: [], credit() {} };`, "has no loss."],
    [`export default { name: "x", needs: [], loss: { type: "pro" }, credit() {} };`, "has a wrong loss at type"],
    [
      `export default { name: "x", needs: [], loss: { type: "ppo", clipLow: 0.8 }, credit() {} };`,
      "has a wrong loss at clipHigh",
    ],
    [
      `export default { name: "x", needs: [], loss: { type: "none" }, credit() {}, finish: [] };`,
      "has an array as finish.",
    ],
    ["export default () => { throw new RangeError('scale is too small'); };", "could not be made: scale is too small"],
    ["export default {", "could not be loaded"],
  ])("%s", async (text, message) => {
    const error = await complaint(text);
    expect(error.message).toContain(message);
    expect(error.message).toMatch(/algorithm-\d+\.mjs/);
  });

  test("parameters that nobody takes are not ignored", async () => {
    const error = await complaint(`const scale = 1; export default ${whole};`, { scale: 2 });
    expect(error.message).toContain("exports an algorithm that takes no parameters, and scale is set.");
  });

  test("a file that is not there is named, with where it was looked for", async () => {
    const error = await loadAlgorithm("./nowhere.ts", { cwd: folder }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: "There is no file ./nowhere.ts with an algorithm.",
      hint: `Looked for ${join(folder, "nowhere.ts")}. Correct algorithm.path.`,
    });
  });
});
