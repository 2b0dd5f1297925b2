import { join } from "node:path";
import { expect, test } from "vitest";
import { previewSft } from "./preview.ts";
import { folderWith } from "./testing/folder.ts";
import { toyLines, toySft, toyTokenizer } from "./testing/toy-sft.ts";

test("a preview counts, measures and shows an example without beginning a run", async () => {
  const long = JSON.stringify({ prompt: "q", completion: "long ".repeat(30) });
  const folder = await folderWith({ "data.jsonl": `${toyLines(30)}${long}\n` });
  const evaluation = { interval: 1, fraction: 0, paths: [], maxConversations: 9 };
  const preview = await previewSft(toySft(join(folder, "run"), { epochs: 1, seqLen: 100, evaluation }));
  expect(preview).toMatchObject({ conversations: 31, heldOut: 0, looked: 31, dropped: 1, cut: 0 });
  expect(preview.longestTokens).toBeGreaterThan(150);
  expect(preview.trainedShare).toBeGreaterThan(0.1);
  const { tokens, trained } = preview.example;
  expect(toyTokenizer.decode(tokens.filter((_id, at) => trained[at] === 1))).toMatch(/<\|im_end\|>$/);
});
