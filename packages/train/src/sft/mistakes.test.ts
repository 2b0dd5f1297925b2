// Mistakes of whoever fine-tunes: told before anything is begun.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SftOptions } from "./options.ts";
import { sft } from "./sft.ts";
import { folderWith } from "./testing/folder.ts";
import { toyLines, toySft } from "./testing/toy-sft.ts";

describe("a mistake", () => {
  const attempt = async (data: string, more: Partial<SftOptions> = {}): Promise<unknown> => {
    const folder = await folderWith({ "data.jsonl": data });
    try {
      return await sft(toySft(join(folder, "run"), { maxSteps: 1, ...more }));
    } finally {
      // Nothing was begun, so that the corrected command can use the name.
      expect(await readdir(folder)).toEqual(["data.jsonl"]);
    }
  };

  test("in a line is told with its file and line", async () => {
    await expect(attempt(`${toyLines(2)}\n{"messages": [}\n`)).rejects.toThrow(/^data\.jsonl:4: /);
    await expect(attempt(`${toyLines(1)}{"messages":[]}`)).rejects.toThrow("data.jsonl:2: messages: no messages");
    await expect(attempt('{"text":"hi"}\n')).rejects.toMatchObject({ code: "bad-row", at: { line: 1 } });
  });

  test("no data, in the file or in the configuration", async () => {
    await expect(attempt("\n\n")).rejects.toThrow("data.jsonl holds no conversation");
    await expect(attempt("", { data: [] })).rejects.toThrow("There is no data");
    await expect(attempt("", { data: [{ paths: ["other.jsonl"] }] })).rejects.toThrow("no file other.jsonl");
  });

  test("max_steps and epochs, or neither", async () => {
    await expect(attempt(toyLines(2), { epochs: 1 })).rejects.toThrow("max_steps or epochs, and not both");
    const folder = await folderWith({ "data.jsonl": toyLines(2) });
    await expect(sft(toySft(join(folder, "run")))).rejects.toThrow("max_steps or epochs");
  });

  test("a sequence longer than the model's context", async () => {
    await expect(attempt(toyLines(2), { seqLen: 4096 })).rejects.toThrow("the model takes 512 tokens");
  });

  test("no conversation that fits", async () => {
    const folder = await folderWith({ "data.jsonl": toyLines(5) });
    const run = sft(toySft(join(folder, "run"), { maxSteps: 1, seqLen: 10 }));
    await expect(run).rejects.toThrow("No conversation fits into 10 tokens");
  });
});
