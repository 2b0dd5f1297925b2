import type { Message } from "@hone/core";
import { expect, test } from "vitest";
import { createRenderer } from "./renderer.ts";
import { createLoad } from "./testing/families.ts";
import { rendererSuite } from "./testing/renderer-suite.ts";
import { rolloutSuite } from "./testing/rollout-suite.ts";

const load = createLoad();
rolloutSuite(load);
rendererSuite(load);

test("a token that reaches from the header into the reply belongs to the header", async () => {
  const loaded = await load("qwen2_5");
  const renderer = createRenderer(loaded);
  const messages: Message[] = [
    { role: "user", content: "hi" },
    { role: "assistant", content: "\nyes" },
  ];
  const { ids } = renderer.render(messages);
  const reply = renderer.spans(messages)[1]?.reply;
  expect(loaded.tokenizer.decode(ids.subarray(reply?.start, reply?.end))).toBe("yes<|im_end|>");
});
